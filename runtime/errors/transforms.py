"""Errors of transforms: gradients, batches, traces."""

from __future__ import annotations

from .base import KeyslotError


class NotAnArrayError(KeyslotError, TypeError):
    """Something to be wrapped as an array that is of no backend."""

    _fields = ("type", "backends")
    type: str
    backends: tuple[str, ...]

    def message(self) -> str:
        known = ", ".join(self.backends)
        return (
            f"Tensor takes an array of one of the backends, not {self.type}; they are"
            f" {known}, and register_array_type adds classes to one"
        )


class EscapedTensorError(KeyslotError, RuntimeError):
    """An array of a transform that is used after the transform has ended."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"{self.op} got an array that belongs to a transform which has ended, or runs"
            " on another thread or around a trace: return it from the function that is"
            " transformed rather than keeping it elsewhere, and give it to a function"
            " that is traced as an argument"
        )


class SavedValuesFreedError(KeyslotError, RuntimeError):
    """A graph that is gone through a second time after its values were let go."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"what {self.op} saved for its gradient has been used and let go: say"
            " retain_graph=True in the first backward to go through the graph again"
        )


class ChangedValueError(KeyslotError, RuntimeError):
    """A value that a gradient needs and that has been changed in place since."""

    _fields = ("op", "argument", "saved", "now")
    op: str
    argument: str
    saved: int
    now: int

    def message(self) -> str:
        return (
            f"the gradient of {self.op} needs {self.argument} as it was in the call,"
            " and it has been changed in place since: it was at version"
            f" {self.saved} and is at version {self.now}; change a clone instead"
        )


class InPlaceError(KeyslotError, RuntimeError):
    """A change in place that gradients or batches do not allow."""

    _fields = ("op", "argument", "why")
    op: str
    argument: str
    why: str

    def message(self) -> str:
        return f"{self.op} cannot change {self.argument} in place: {self.why}"


class NotDifferentiableError(KeyslotError, NotImplementedError):
    """A gradient of an operator for which nobody has given a formula."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"{self.op} has no derivative: give 'derivatives' in its YAML entry and"
            " generate again, make it a composite, or call it with x.detach()"
        )


class GradientInputError(KeyslotError, TypeError):
    """Arguments with respect to which there is no gradient."""

    _fields = ("wanted",)
    wanted: str

    def message(self) -> str:
        return f"gradients are taken with respect to {self.wanted}"


class GradientOutputError(KeyslotError, ValueError):
    """A result that has no gradient because it is not one real number."""

    _fields = ("given", "advice")
    given: str
    advice: str

    def message(self) -> str:
        return (
            "gradients are those of one real number, an array without dimensions,"
            f" not of {self.given}: {self.advice}"
        )


class DirectionError(KeyslotError, TypeError):
    """Arrays that a derivative is multiplied with, in another structure than it has."""

    _fields = ("function", "wanted", "given")
    #: What was called.
    function: str
    wanted: str
    given: str

    def message(self) -> str:
        return f"{self.function} takes {self.wanted}, not {self.given}"


class FunctionResultError(KeyslotError, TypeError):
    """A result of a function of which no derivative can be made."""

    _fields = ("wanted", "given")
    wanted: str
    given: type

    def message(self) -> str:
        return (
            f"a function that is differentiated returns {self.wanted}, not"
            f" {self.given.__name__}"
        )


class VmapError(KeyslotError, ValueError):
    """Arguments of `vmap`, or results, that are no batch."""

    _fields = ("why",)
    why: str


class DispatchRefusedError(KeyslotError, TypeError):
    """A call that every mode and every array class in it has refused."""

    _fields = ("op", "refused")
    op: str
    refused: tuple[str, ...]

    def message(self) -> str:
        return (
            f"no one takes this call of {self.op}: {' and '.join(self.refused)}"
            " returned NotImplemented"
        )


class DataNeededError(KeyslotError, ValueError):
    """Elements that are asked of an array that has none, only a shape and a dtype."""

    _fields = ("what",)
    what: str

    def message(self) -> str:
        return (
            f"{self.what} depends on data, and the array is abstract: it has a shape"
            " and a dtype only, as in make_fx with tracing_mode 'fake' or 'symbolic'"
        )


class TransformedValueError(KeyslotError, TypeError):
    """A Python value that is asked of an array whose elements a transform hides."""

    _fields = ("what", "why")
    what: str
    why: str

    def message(self) -> str:
        return f"{self.what} cannot be made of this array: {self.why}"


class NoShapeRuleError(KeyslotError, NotImplementedError):
    """An operator that is called with abstract arrays and has no shape rule."""

    _fields = ("op",)
    op: str

    def message(self) -> str:
        return (
            f"{self.op} has no shape rule: give 'shape' in its YAML entry and generate"
            " again, make it a composite, or trace with tracing_mode='real'"
        )


class TracingError(KeyslotError, ValueError):
    """A program that cannot be traced as it was asked for."""

    _fields = ("why",)
    why: str


class OpcheckError(KeyslotError, AssertionError):
    """An operator that does not do what is declared of it."""

    _fields = ("op", "report")
    op: str
    report: str

    def message(self) -> str:
        return self.report
