//! `allotrope man`: the manual pages, in the format of `man`.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::data::write_file;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope man`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Command; by default the page of the whole program.
    command: Option<String>,
    /// Write the pages of all commands to this folder, as allotrope.1, allotrope-attack.1 and so on.
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut all = crate::Arguments::command();
    all.build();
    let is_own = |command: &&clap::Command| command.get_name() != "help";
    let pages: Vec<&clap::Command> = std::iter::once(&all).chain(all.get_subcommands().filter(is_own)).collect();
    if let Some(folder) = &arguments.output {
        for command in &pages {
            let name = command.get_display_name().unwrap_or_else(|| command.get_name());
            write_file(&folder.join(format!("{name}.1")), page(command).as_bytes())?;
        }
        say(&format!("{} pages are in {}\n", pages.len(), folder.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = arguments.command.as_deref().unwrap_or("allotrope");
    let command = pages.iter().find(|command| command.get_name() == wanted).ok_or_else(|| {
        let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        Failure::usage(format!("there is no command `{wanted}`: there are {}", known.join(", ")))
    })?;
    say(&page(command));
    Ok(ExitCode::SUCCESS)
}

fn page(command: &clap::Command) -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = Man::new(command.clone()).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}
