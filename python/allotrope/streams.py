"""A stream of variants as `torch.utils.data` knows streams: by their class. Only what is read by its loaders imports this module."""

from typing import Any

from allotrope.augmentation import Augmented

__all__ = ["AugmentedStream"]

_Stream: Any = object
try:
    import torch.utils.data as _loading

    _Stream = _loading.IterableDataset
except ImportError:
    # Nothing needs it then; but tools import every module of a package.
    pass


class AugmentedStream(Augmented, _Stream):  # type: ignore[misc]
    """Variants of a data set that has no length: a loader iterates over it, each of its workers over a share of the rows."""
