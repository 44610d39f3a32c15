//! The commands as a user types them.

mod attacks;
mod campaigns;
mod commands;
mod distil;
mod documentation;
mod experiments;
mod fidelity;
mod folder;
mod gate;
mod honest;
mod hostile;
mod measures;
mod models;
mod projects;
mod quantise;
mod quickstart;
mod report;
mod retrain;
mod serve;
mod shared_names;
mod students;
mod toy;
mod train_captions;
mod train_encoder;
mod train_names;
mod train_t5;
