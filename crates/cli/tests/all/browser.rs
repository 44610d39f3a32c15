//! A browser for the tests of pages, and what checks their accessibility in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The version of axe-core, so that a new rule of it breaks no test of old pages.
const AXE: &str = "axe-core@4.14.0";

/// A program of these names on the path.
fn found(names: &[&str]) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&paths).flat_map(|path| names.iter().map(move |name| path.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// The command that runs a script of the report's tests in a browser: after it come the arguments of the script. None where there is no browser.
pub fn script(name: &str) -> Option<Command> {
    let browser = std::env::var_os("ALLOTROPE_BROWSER")
        .map(PathBuf::from)
        .or_else(|| found(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]));
    let (Some(browser), Some(node)) = (browser, found(&["node", "nodejs"])) else {
        testbed::skip("no page is opened in a browser: that takes Chromium (or ALLOTROPE_BROWSER) and Node.js");
        return None;
    };
    let mut command = Command::new(node);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests").join(name)).arg(browser);
    if let Some(pictures) = std::env::var_os("ALLOTROPE_PICTURES") {
        command.arg("--pictures").arg(pictures);
    }
    match &*AXE_FILE {
        Some(axe) => drop(command.arg("--axe").arg(axe)),
        None => testbed::skip("the accessibility of pages is not checked: npm cannot install axe-core"),
    }
    Some(command)
}

/// The program axe-core, which npm installs into the target folder once.
static AXE_FILE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.is_file() {
        std::fs::create_dir_all(&folder).ok()?;
        let options =
            ["--no-save", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000", "--prefix"];
        let npm = found(&["npm"])?;
        let installed = Command::new(npm).arg("install").args(options).arg(&folder).arg(AXE).output().ok()?;
        if !installed.status.success() {
            return None;
        }
    }
    file.is_file().then_some(file)
});

/// Runs a script in a browser, which must find nothing wrong.
#[track_caller]
pub fn run(mut command: Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
}
