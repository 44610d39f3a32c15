"""A stream of variants as `torch.utils.data` knows streams: by their class. Only what is read by its loaders imports this module."""

from typing import Any

from allotrope.augmentation import Augmented

__all__ = ["AugmentedStream"]

_Stream: Any
try:
    from torch.utils.data import IterableDataset as _Stream
except ImportError:
    # Nothing needs it then; but tools import every module of a package.
    _Stream = object


class AugmentedStream(Augmented, _Stream):  # type: ignore[misc]
    """Variants of a data set that has no length: a loader iterates over it, each of its workers over a share of the rows."""
