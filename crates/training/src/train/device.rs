//! Where a training is computed: the one place that knows devices.

use super::TrainingError;
use crate::compute::{Compute, State};
use crate::cuda::{Cuda, Precision};
use crate::network::Network;
use crate::processor::Processor;
use crate::shape::Shape;

/// Where a network is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    #[default]
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
}

impl Device {
    /// The name of the device on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        }
    }
}

/// Something that is done with a network, whatever computes it.
pub(super) trait Work {
    type Made;

    fn run<C: Compute>(self, network: Network<C>) -> Result<Self::Made, TrainingError>;
}

/// Does the work with a network that a device holds.
pub(super) fn compute<Wanted: Work>(
    device: Device,
    shape: Shape,
    state: State,
    work: Wanted,
) -> Result<Wanted::Made, TrainingError> {
    match device {
        Device::Cpu => work.run(Network::new(shape, Processor::new(state))),
        Device::Cuda => work.run(Network::new(shape, Cuda::open(0, Precision::default(), &state)?)),
    }
}
