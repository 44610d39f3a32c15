//! What the user sees of long work: one progress bar and notes, both on standard error; and Ctrl-C, which ends it.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use campaign::work::{Event, Watcher};
use indicatif::{ProgressBar, ProgressStyle};
use measure::printed::visible_in_line;

use crate::say::{self, note};

/// Shows progress on a terminal. Without a terminal, or if the user wants it quiet, only notes are written.
pub struct Screen {
    bar: Mutex<ProgressBar>,
    shows_bars: bool,
    shows_notes: bool,
}

impl Screen {
    pub fn new() -> Screen {
        Screen::with(true, true)
    }

    /// For work that has something to save when it is stopped, which may take as long as a step of a training.
    pub fn patient() -> Screen {
        GRACE.store(120_000, Ordering::Relaxed);
        Screen::with(true, true)
    }

    /// Without bars.
    pub fn plain() -> Screen {
        Screen::with(false, true)
    }

    /// Without notes, for a command that tells its own story.
    pub fn without_notes() -> Screen {
        Screen::with(true, false)
    }

    fn with(shows_bars: bool, shows_notes: bool) -> Screen {
        // Whoever presses Ctrl-C before the first step is heard as well.
        LazyLock::force(&STOP);
        let shows_bars = shows_bars && std::io::stderr().is_terminal();
        Screen { bar: ProgressBar::hidden().into(), shows_bars, shows_notes }
    }
}

/// How many milliseconds work may take to stop after Ctrl-C. A model may need far longer for one batch.
static GRACE: AtomicU64 = AtomicU64::new(800);

/// Set by Ctrl-C, one for the whole program. A second signal, or work that does not stop in time, ends the process at once: at any
/// moment files are complete or absent, and runs can be resumed.
static STOP: LazyLock<&AtomicBool> = LazyLock::new(|| {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let _ = ctrlc::set_handler(|| {
        if FLAG.swap(true, Ordering::Relaxed) {
            end_at_once();
        }
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(GRACE.load(Ordering::Relaxed)));
            end_at_once();
        });
    });
    &FLAG
});

fn end_at_once() -> ! {
    model::kill_programs();
    equivalence::remove_folders();
    campaign::complete_file::remove_partial_files();
    note("stopped; finished work is kept, and the same command resumes a run");
    std::process::exit(130)
}

/// Did the user press Ctrl-C?
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

impl Watcher for Screen {
    fn stop(&self) -> &AtomicBool {
        &STOP
    }

    fn tell(&self, event: Event<'_>) {
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Stage(name, steps) if self.shows_bars => {
                bar.finish_and_clear();
                let template = match steps {
                    Some(_) => format!("{name} {{bar:30}} {{pos}}/{{len}}, {{eta}} left {{msg}}"),
                    None => format!("{{spinner}} {name} {{elapsed}} {{msg}}"),
                };
                let style = ProgressStyle::with_template(&template).expect("the template is written here");
                let new = steps.map_or_else(ProgressBar::new_spinner, |steps| ProgressBar::new(steps as u64));
                *bar = new.with_style(style);
            }
            Event::Stage(..) => (),
            Event::Steps(count) => bar.inc(count as u64),
            Event::Status(status) => {
                bar.set_message(visible_in_line(&status));
                bar.tick();
            }
            Event::Note(note) if self.shows_notes => bar.suspend(|| say::note(&note)),
            _ => (),
        }
    }
}

impl Drop for Screen {
    /// A bar is taken away before what was found is printed.
    fn drop(&mut self) {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).finish_and_clear();
    }
}
