//! Where a training is computed: the one place that knows devices.

use super::TrainingError;
use crate::compute::{Compute, State};
use crate::cuda::{Cuda, Precision};
use crate::processor::Processor;

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

/// Something that is done with the parameters of a network, whatever holds them.
pub(super) trait Work {
    type Made;

    /// The numbers between layers on a GPU.
    const ON_GPU: Precision;

    fn run<C: Compute>(self, compute: C) -> Result<Self::Made, TrainingError>;
}

/// Does the work on a device that holds these parameters.
pub(super) fn compute<Wanted: Work>(device: Device, state: State, work: Wanted) -> Result<Wanted::Made, TrainingError> {
    match device {
        Device::Cpu => work.run(Processor::new(state)),
        Device::Cuda => work.run(Cuda::open(0, Wanted::ON_GPU, &state)?),
    }
}
