"""How long torchgen takes to parse native_functions.yaml.

    python -m benchmarks.children.read_torchgen NATIVE_FUNCTIONS TAGS

Prints the seconds, imports not included.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

from torchgen.gen import parse_native_yaml


def main() -> None:
    """Parse the file between two readings of the clock."""
    schemas, tags = sys.argv[1:]
    start = perf_counter()
    parsed = parse_native_yaml(schemas, tags)
    spent = perf_counter() - start
    assert parsed.native_functions
    print(json.dumps(spent))


if __name__ == "__main__":
    main()
