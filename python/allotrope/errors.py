"""What goes wrong, with the same text as on the command line, in a class for each exit status."""

__all__ = ["AllotropeError", "MissingError", "ModelError", "PlanError"]


class AllotropeError(Exception):
    """The base of all errors of this package."""

    status = 1
    """The exit status of the command line for this error."""


class PlanError(AllotropeError, ValueError):
    """An argument, an option or a plan is wrong."""

    status = 2


class MissingError(AllotropeError):
    """A file, a model or a tool is missing, or cannot be read or written."""

    status = 3


class ModelError(AllotropeError):
    """The model failed. Its cause is what the function raised first, where the model is a function."""

    status = 4
