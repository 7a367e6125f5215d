"""The form of generated Python: which nodes there are, and what they refer to."""

from __future__ import annotations

import ast
import builtins

#: No template makes a loop, a lambda, a comprehension, an f-string or a `del`.
NODES = frozenset(
    [
        "Module",
        "AnnAssign",
        "Assign",
        "ClassDef",
        "Expr",
        "FunctionDef",
        "If",
        "ImportFrom",
        "Return",
        "Try",
        "alias",
        "ExceptHandler",
        "arguments",
        "arg",
        "keyword",
        "Attribute",
        "BinOp",
        "BitOr",
        "BoolOp",
        "And",
        "Call",
        "Compare",
        "Constant",
        "Dict",
        "Is",
        "IsNot",
        "List",
        "Load",
        "Name",
        "Starred",
        "Store",
        "Subscript",
        "Tuple",
        "UnaryOp",
        "USub",
    ]
)
#: What generated code takes from Python itself.
BUILTINS = frozenset(
    [
        "KeyError",
        "__name__",
        "bool",
        "dict",
        "float",
        "globals",
        "int",
        "list",
        "object",
        "staticmethod",
        "str",
        "tuple",
        "type",
    ]
)
PACKAGES = ("__future__", "collections.abc", "keyslot.generated.keys", "typing")
#: Attributes that it reads or calls, and statements that are calls.
ATTRIBUTES = frozenset(
    [
        "active",
        "adopt",
        "below_autograd",
        "call",
        "check_kernels",
        "disable_kernel",
        "disable_python_dispatcher",
        "dispatch_trace",
        "enable_python_dispatcher",
        "exclude_keys",
        "follow",
        "handler",
        "handlers",
        "include_keys",
        "load",
        "register_array_type",
        "rename_backend",
        "snapshot",
    ]
)
CALLED_ALONE = ("OpNamespace.adopt", "OpOverloadPacket")


def check_form(text: str) -> None:
    """Check that a generated module compiles and holds only what templates make."""
    tree = ast.parse(text)
    compile(tree, "generated", "exec", dont_inherit=True)
    bound = names_bound(tree)
    for node in ast.walk(tree):
        assert type(node).__name__ in NODES, ast.dump(node)
        if isinstance(node, ast.ImportFrom):
            is_runtime = (node.module or "").startswith("keyslot.runtime.")
            assert node.level or is_runtime or node.module in PACKAGES, node.module
        elif isinstance(node, ast.Name) and node.id not in bound:
            assert hasattr(builtins, node.id), node.id
            assert node.id in BUILTINS, node.id
        elif isinstance(node, ast.Attribute):
            assert node.attr in ATTRIBUTES, node.attr
        elif isinstance(node, ast.Expr):
            check_statement(node.value)


def check_statement(value: ast.expr) -> None:
    """Check an expression that is a statement: a docstring, `...` or a known call."""
    if isinstance(value, ast.Call):
        assert ast.unparse(value.func) in CALLED_ALONE
    else:
        assert isinstance(value, ast.Constant)
        assert isinstance(value.value, str) or value.value is ...


def names_bound(tree: ast.Module) -> set[str]:
    """Return the names that a module imports, assigns, defines or has as arguments."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found
