"""`keyslot.errors`: every error that keyslot raises on purpose.

One class for each kind of mistake. Each is also a subclass of the built-in exception
that a caller would catch without knowing keyslot, keeps the facts it was built from as
attributes, and pickles.
"""

from __future__ import annotations

from .base import KeyslotError
from .calls import (
    AmbiguousAutogradOtherError,
    ArgumentFact,
    ArgumentValueError,
    CallFacts,
    DispatchError,
    DispatchRecursionError,
    FallthroughError,
    KernelForError,
    KeySetTypeError,
    MixedBackendsError,
    NoArrayError,
    NoKernelError,
    OverloadError,
)
from .declarations import (
    DeclarationError,
    FormulaError,
    KeySpaceError,
    SchemaError,
)
from .graphs import (
    GraphBackendError,
    GraphDrawingError,
    GraphInputError,
    GraphKernelError,
    GraphSizeError,
)
from .kernels import (
    ArgumentIndexError,
    DivisionByZeroError,
    DtypeError,
    KernelCheckError,
    NoGradientError,
    OutShapeError,
)
from .keys import (
    AliasKeyError,
    ArrayTypeError,
    BackendLoadingError,
    BackendNameError,
    MixedSpacesError,
    UnknownBackendError,
    UnknownKeyError,
)
from .registrations import (
    ClosedLibraryError,
    DuplicateKernelError,
    DuplicateOperatorError,
    KernelImportError,
    LibraryError,
    NativeOperatorError,
    NotAKernelError,
    NotAnOverloadError,
    NotExportedError,
    OperatorRemovedError,
    PackageChangedError,
    UnknownOperatorError,
    UnknownOverloadError,
    UnreadableTextError,
)
from .sizes import ComplexSizeError, GuardError, MixedShapeEnvsError

__all__ = [
    "AliasKeyError",
    "AmbiguousAutogradOtherError",
    "ArgumentFact",
    "ArgumentIndexError",
    "ArgumentValueError",
    "ArrayTypeError",
    "BackendLoadingError",
    "BackendNameError",
    "CallFacts",
    "ClosedLibraryError",
    "ComplexSizeError",
    "DeclarationError",
    "DispatchError",
    "DispatchRecursionError",
    "DivisionByZeroError",
    "DtypeError",
    "DuplicateKernelError",
    "DuplicateOperatorError",
    "FallthroughError",
    "FormulaError",
    "GraphBackendError",
    "GraphDrawingError",
    "GraphInputError",
    "GraphKernelError",
    "GraphSizeError",
    "GuardError",
    "KernelCheckError",
    "KernelForError",
    "KernelImportError",
    "KeySetTypeError",
    "KeySpaceError",
    "KeyslotError",
    "LibraryError",
    "MixedBackendsError",
    "MixedShapeEnvsError",
    "MixedSpacesError",
    "NativeOperatorError",
    "NoArrayError",
    "NoGradientError",
    "NoKernelError",
    "NotAKernelError",
    "NotAnOverloadError",
    "NotExportedError",
    "OperatorRemovedError",
    "OutShapeError",
    "OverloadError",
    "PackageChangedError",
    "SchemaError",
    "UnknownBackendError",
    "UnknownKeyError",
    "UnknownOperatorError",
    "UnknownOverloadError",
    "UnreadableTextError",
]
