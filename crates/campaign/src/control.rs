//! How a run that is going on is paused and stopped from outside its process, through two small files in its folder.
//!
//! The process that works on a run keeps `runner.json` fresh: its session, whether it works or waits, and how far it is. Whoever wants something writes
//! `wish`, a word and that session. A wish for another session, such as one that was killed, is no wish, and files that nobody keeps
//! fresh say that nobody works: they are harmless whatever was killed when. What is in them changes when work is done, and never what is
//! found.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::complete_file;
use crate::work::{Event, Watcher};

const RUNNER: &str = "runner.json";
const WISH: &str = "wish";

/// How often the runner says that it is there.
const BEAT: Duration = Duration::from_secs(1);

/// After this time without a beat nobody works. A machine under load may be late.
const SILENCE: Duration = Duration::from_secs(10);

/// How soon a wish is heard.
pub(crate) const GLANCE: Duration = Duration::from_millis(100);

/// How many of the last notes are kept.
const NOTES: usize = 20;

/// What somebody wants of a run that is going on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// Work.
    #[default]
    Work,
    /// Begin no target until there is another wish; those that are begun are finished.
    Pause,
    /// Stop, as after Ctrl-C.
    Stop,
}

/// Who works on a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Runner {
    /// What wishes have to name.
    session: String,
    /// What it does now: work, wait, or stop.
    pub state: Wish,
    /// How many attacks on targets were left to do when it began.
    pub left: usize,
    /// How many seconds ago it began.
    pub seconds: f64,
    /// How far it is, where its records do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Doing>,
}

/// What somebody who watches the work would see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Doing {
    /// The command.
    pub command: String,
    pub stage: String,
    /// The steps of the stage that are done.
    pub done: usize,
    /// All of its steps, where their number is known.
    pub all: Option<usize>,
    pub status: String,
    /// The last notes, the newest at the end.
    pub notes: Vec<String>,
}

/// Why a wish is not heard.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WishError {
    #[error("nobody works on the run {}", .0.display())]
    Nobody(PathBuf),
    #[error("failed to write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

/// Who works on the run in a folder, if anybody does.
pub fn runner(folder: &Path) -> Option<Runner> {
    let path = folder.join(RUNNER);
    let age = SystemTime::now().duration_since(path.metadata().ok()?.modified().ok()?);
    // Clocks may be set back.
    if age.is_ok_and(|age| age > SILENCE) {
        return None;
    }
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Tells who works on a run what is wanted.
pub fn wish(folder: &Path, wish: Wish) -> Result<(), WishError> {
    let runner = runner(folder).ok_or_else(|| WishError::Nobody(folder.to_owned()))?;
    let path = folder.join(WISH);
    let text = format!("{} {}\n", wish.name(), runner.session);
    complete_file::write(&path, text.as_bytes()).map_err(|source| WishError::Unwritable { path, source })
}

impl Wish {
    const ALL: [Wish; 3] = [Wish::Work, Wish::Pause, Wish::Stop];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Wish::Work => "work",
            Wish::Pause => "pause",
            Wish::Stop => "stop",
        }
    }

    /// The wish with a name.
    pub fn named(name: &str) -> Option<Wish> {
        Wish::ALL.into_iter().find(|wish| wish.name() == name)
    }
}

/// The side of the process that works.
pub(crate) struct Control {
    folder: PathBuf,
    session: String,
    left: usize,
    start: Instant,
    last: Mutex<Option<(Instant, Wish)>>,
    doing: Mutex<Option<Doing>>,
}

impl Control {
    /// Says that this process works now. What was wished before is forgotten.
    pub(crate) fn begin(folder: &Path, left: usize) -> Control {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let session = format!("{}-{now}", std::process::id());
        let (last, doing) = (Mutex::default(), Mutex::default());
        let control = Control { folder: folder.to_owned(), session, left, start: Instant::now(), last, doing };
        let _ = std::fs::remove_file(folder.join(WISH));
        control.beat(Wish::Work);
        control
    }

    /// What is wanted now. Keeps the word fresh that somebody works.
    pub(crate) fn wish(&self) -> Wish {
        // A file that cannot be read is no wish.
        let text = std::fs::read_to_string(self.folder.join(WISH)).unwrap_or_default();
        let wish = text.trim_end().split_once(' ').filter(|(_, session)| *session == self.session);
        let wish = wish.and_then(|(name, _)| Wish::named(name)).unwrap_or_default();
        self.beat(wish);
        wish
    }

    fn beat(&self, state: Wish) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|(when, before)| before == state && when.elapsed() < BEAT) {
            return;
        }
        *last = Some((Instant::now(), state));
        let seconds = self.start.elapsed().as_secs_f64();
        let work = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let runner = Runner { session: self.session.clone(), state, left: self.left, seconds, work };
        // Work goes on where nobody can be told about it, as on a full disk.
        if let Ok(text) = serde_json::to_string(&runner) {
            let _ = complete_file::write(&self.folder.join(RUNNER), text.as_bytes());
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(RUNNER));
        let _ = std::fs::remove_file(self.folder.join(WISH));
    }
}

/// Does work that can be stopped from outside, and says how far it is, in the folder of its run. It stops as after Ctrl-C; it cannot be
/// paused, because nobody says where it could wait.
pub fn steered<Done>(
    folder: &Path,
    command: &str,
    watcher: &dyn Watcher,
    work: impl FnOnce(&dyn Watcher) -> Done,
) -> Done {
    let control = Control::begin(folder, 0);
    *control.doing.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(Doing { command: command.to_owned(), ..Doing::default() });
    let steered = Steered { control, watcher, stop: AtomicBool::new(false) };
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let listener = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                if watcher.should_stop() || steered.control.wish() == Wish::Stop {
                    steered.stop.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        // Work that panics would leave the listener alone for ever.
        let _end = End { is_done: &is_done, listener: listener.thread() };
        work(&steered)
    })
}

/// Lets the listener end when the work has.
struct End<'e> {
    is_done: &'e AtomicBool,
    listener: &'e std::thread::Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        self.listener.unpark();
    }
}

/// A watcher that also hears what is wished from outside.
struct Steered<'w> {
    control: Control,
    watcher: &'w dyn Watcher,
    stop: AtomicBool,
}

impl Steered<'_> {
    fn doing(&self) -> MutexGuard<'_, Option<Doing>> {
        self.control.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher for Steered<'_> {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn tell(&self, event: Event<'_>) {
        if let Some(doing) = self.doing().as_mut() {
            match &event {
                Event::Stage(stage, all) => {
                    (doing.stage, doing.all, doing.done) = ((*stage).to_owned(), *all, 0);
                    doing.status.clear();
                }
                Event::Steps(count) => doing.done += count,
                Event::Status(status) => doing.status.clone_from(status),
                Event::Note(note) => {
                    let surplus = (doing.notes.len() + 1).saturating_sub(NOTES);
                    doing.notes.drain(..surplus);
                    doing.notes.push(note.clone());
                }
            }
        }
        self.watcher.tell(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_stopped_from_outside_and_says_how_far_it_is() {
        let folder = std::env::temp_dir().join(format!("allotrope-steered-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let wait = |is_there: &dyn Fn() -> bool| {
            let start = Instant::now();
            while !is_there() {
                assert!(start.elapsed() < Duration::from_secs(60), "it takes too long");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let done = steered(&folder, "grid", &(), |watcher| {
            watcher.tell(Event::Stage("treatments", Some(7)));
            watcher.tell(Event::Steps(3));
            (0..NOTES + 2).for_each(|number| watcher.tell(Event::Note(number.to_string())));
            let doing = || runner(&folder).and_then(|runner| runner.work).unwrap_or_default();
            wait(&|| doing().done == 3 && doing().notes.len() == NOTES);
            let doing = doing();
            assert_eq!((doing.command.as_str(), doing.stage.as_str(), doing.all), ("grid", "treatments", Some(7)));
            assert_eq!(doing.notes.last().unwrap(), &(NOTES + 1).to_string());
            assert!(!watcher.should_stop());
            wish(&folder, Wish::Stop).unwrap();
            wait(&|| watcher.should_stop());
            5
        });
        assert_eq!((done, runner(&folder)), (5, None));
        // What the watcher itself wants is heard as well, and a panic ends the listener.
        struct Stopped;
        impl Watcher for Stopped {
            fn stop(&self) -> &AtomicBool {
                static STOP: AtomicBool = AtomicBool::new(true);
                &STOP
            }
        }
        steered(&folder, "grid", &Stopped, |watcher| wait(&|| watcher.should_stop()));
        assert!(std::panic::catch_unwind(|| steered(&folder, "grid", &(), |_| panic!("on purpose"))).is_err());
        assert_eq!(runner(&folder), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn wishes_are_for_who_works_now() {
        let folder = std::env::temp_dir().join(format!("allotrope-control-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(matches!(wish(&folder, Wish::Stop), Err(WishError::Nobody(_))));
        let control = Control::begin(&folder, 7);
        assert_eq!((control.wish(), runner(&folder).unwrap().left), (Wish::Work, 7));
        wish(&folder, Wish::Pause).unwrap();
        assert_eq!(control.wish(), Wish::Pause);
        assert_eq!(runner(&folder).unwrap().state, Wish::Pause);
        // What is wished of one that was killed is forgotten by the next.
        std::mem::forget(control);
        let next = Control::begin(&folder, 3);
        assert_eq!(next.wish(), Wish::Work);
        for words in ["stop", "stop 1-2", "stop  ", "\0\u{1b}", "pause"] {
            std::fs::write(folder.join(WISH), words).unwrap();
            assert_eq!(next.wish(), Wish::Work, "{words:?}");
        }
        wish(&folder, Wish::Stop).unwrap();
        assert_eq!(next.wish(), Wish::Stop);
        drop(next);
        assert_eq!(runner(&folder), None);
        // One that was killed says nothing more after a while.
        std::mem::forget(Control::begin(&folder, 1));
        let old = SystemTime::now() - SILENCE - BEAT;
        std::fs::File::options().write(true).open(folder.join(RUNNER)).unwrap().set_modified(old).unwrap();
        assert_eq!(runner(&folder), None);
        assert!(wish(&folder, Wish::Stop).unwrap_err().to_string().starts_with("nobody works on the run "));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
