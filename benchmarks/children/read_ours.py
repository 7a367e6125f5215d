"""How long the generator takes to read and check native_functions.yaml.

    python -m benchmarks.children.read_ours SCHEMAS KEYS

Prints the seconds, imports not included.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

from keyslot.codegen.config import make_config
from keyslot.codegen.frontend import Findings, load_operators
from keyslot.codegen.options import command_options
from keyslot.codegen.problems import Problems


def main() -> None:
    """Read and check the operators between two readings of the clock."""
    schemas, keys = sys.argv[1:]
    findings = Findings(Problems(), Problems())
    start = perf_counter()
    options = command_options(
        {"schemas": [schemas], "keys": keys, "namespace": "aten", "output": "unused"},
        findings.problems,
    )
    assert options is not None
    config = make_config(options, findings.problems)
    assert config is not None
    operators = load_operators(config, findings)
    spent = perf_counter() - start
    assert operators is not None
    print(json.dumps(spent))


if __name__ == "__main__":
    main()
