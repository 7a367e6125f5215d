"""Read a schema: recursive descent over its tokens, one method a rule of the grammar.

The rule stands above its method, and all of them in ``docs/schema-language.md``. Every
refusal says what was found, what was expected and, where it helps, what to write.
"""

from __future__ import annotations

from typing import Final

from .schema_defaults import take_default
from .schema_lexer import END, Tokens, is_word, quoted
from .schema_model import Argument, FunctionSchema, Return, Type
from .schema_rules import check_schema
from .schema_type_parser import take_type

_VALUES: Final = frozenset({"None", "True", "False"})


def parse_schema(text: str) -> FunctionSchema:
    """Return what a schema such as ``add(Tensor self, Tensor other) -> Tensor`` says.

    White space between tokens is free; apart from it, ``str()`` of the result is the
    text. The language is that of the ``func`` fields of PyTorch's
    ``native_functions.yaml``, and more of what its runtime takes.

    Raises SchemaError, with the column and the reason, where the text is no schema.
    """
    return _Parser(text).schema()


class _Parser:
    """Reads one text, once."""

    __slots__ = ("arguments", "defaulted", "keyword_only", "starts", "tokens")

    def __init__(self, text: str) -> None:
        self.tokens = Tokens(text)
        self.arguments: dict[str, Argument] = {}
        self.starts: list[int] = []
        self.keyword_only = False
        self.defaulted: str | None = None

    # schema ::= operator "(" [ arguments ] ")" "->" results
    def schema(self) -> FunctionSchema:
        tokens = self.tokens
        namespace, name, overload = self.operator()
        if not tokens.accept(")"):
            self.read_arguments()
        tokens.expect("->", "and the results after the arguments")
        arguments = tuple(self.arguments.values())
        results, starts = self.results()
        if tokens.peek != END:
            tokens.unexpected("the end of the text after the results")
        schema = FunctionSchema(namespace, name, overload, arguments, results)
        check_schema(schema, tokens, self.starts, starts)
        return schema

    # operator ::= [ name "::" ] name [ "." name ]
    def operator(self) -> tuple[str | None, str, str]:
        tokens = self.tokens
        namespace = None
        name = tokens.word("the name of an operator")
        if tokens.accept("::"):
            namespace, name = name, tokens.word("the name of an operator after '::'")
        overload = ""
        if tokens.accept("."):
            overload = self.overload()
        if not tokens.accept("("):
            allowed = "'('" if overload else "'.' or '('"
            tokens.unexpected(f"{allowed} after the name of the operator")
        return namespace, name, overload

    def overload(self) -> str:
        tokens = self.tokens
        name = tokens.word("the name of an overload after '.'")
        if name == "default":
            tokens.fail(
                "'default' is what the overload without a name is called: leave it out",
                tokens.at - 1,
            )
        if name.startswith("__"):
            tokens.fail(
                f"{quoted(name)} starts with '__' as Python's own attributes do: "
                "take another name for the overload",
                tokens.at - 1,
            )
        return name

    # arguments ::= item { "," item };  item ::= argument | "*"
    def read_arguments(self) -> None:
        tokens = self.tokens
        while True:
            if tokens.peek == "*":
                self.star()
            else:
                self.argument()
            if not tokens.accept(","):
                break
            if tokens.peek == ")":
                tokens.fail(
                    "a ',' with no argument after it: take it away", tokens.at - 1
                )
        tokens.expect(")", "or ',' after an argument")

    def star(self) -> None:
        tokens = self.tokens
        if self.keyword_only:
            tokens.fail("a second '*': the first makes all after it keyword-only")
        self.keyword_only = True
        tokens.at += 1
        if tokens.peek == ")":
            tokens.fail("a '*' with no argument after it: take it away", tokens.at - 1)

    # argument ::= type name [ "=" default ]
    def argument(self) -> None:
        tokens = self.tokens
        start = tokens.at
        type, marks = take_type(tokens)
        name = self.argument_name(type)
        default = self.default(type) if tokens.accept("=") else None
        if default is not None:
            self.defaulted = name
        elif self.defaulted is not None and not self.keyword_only:
            tokens.fail(
                f"{quoted(name)} has no default and stands after "
                f"{quoted(self.defaulted)}, which has one: put it before, or after '*'",
                start,
            )
        self.starts.append(start)
        self.arguments[name] = Argument(name, type, marks, self.keyword_only, default)

    def argument_name(self, type: Type) -> str:
        tokens = self.tokens
        if tokens.peek == "!":
            tokens.fail(f"a '!' outside of an alias mark: write {type}(a!)")
        name = tokens.word(f"a name for the argument of type {type}")
        if name in self.arguments:
            at = tokens.start(self.starts[list(self.arguments).index(name)]) + 1
            tokens.fail(
                f"a second argument named {quoted(name)}: the first is at column {at}",
                tokens.at - 1,
            )
        if name in _VALUES:
            tokens.fail(f"{quoted(name)} is a value and no name", tokens.at - 1)
        return name

    def default(self, type: Type) -> str:
        tokens = self.tokens
        first = tokens.at
        take_default(tokens, type)
        if tokens.peek == "=":
            tokens.fail("a second '=': an argument has one default")
        return tokens.source(first, tokens.at)

    # results ::= result | "(" ")" | "(" result "," result { "," result } ")"
    def results(self) -> tuple[tuple[Return, ...], list[int]]:
        tokens = self.tokens
        opening = tokens.at
        if not tokens.accept("("):
            result = self.result()
            if tokens.peek == ",":
                tokens.fail("several results stand in brackets: write (Tensor, Tensor)")
            return (result,), [opening]
        if tokens.accept(")"):
            return (), []
        results, starts = self.several_results()
        if len(results) == 1:
            tokens.fail(f"one result stands without brackets: {results[0]}", opening)
        return tuple(results), starts

    def several_results(self) -> tuple[list[Return], list[int]]:
        tokens = self.tokens
        results: list[Return] = []
        starts: list[int] = []
        names: set[str] = set()
        while True:
            starts.append(tokens.at)
            result = self.result()
            results.append(result)
            if result.name in names:
                tokens.fail(
                    f"a second result named {quoted(result.name)}", tokens.at - 1
                )
            if result.name is not None:
                names.add(result.name)
            if not tokens.accept(","):
                break
            if tokens.peek == ")":
                tokens.fail(
                    "a ',' with no result after it: take it away", tokens.at - 1
                )
        tokens.expect(")", "or ',' after a result")
        return results, starts

    # result ::= type [ name ]
    def result(self) -> Return:
        tokens = self.tokens
        if tokens.peek == END:
            tokens.unexpected("the type of a result, or ()")
        type, marks = take_type(tokens)
        name = tokens.take() if is_word(tokens.peek) else None
        return Return(name, type, marks)
