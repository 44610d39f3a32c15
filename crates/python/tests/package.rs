//! The tests of the Python package, which lie in `python/tests`, on the module of the development build. The script `python/test` runs them
//! on the wheel, with more interpreters and with what takes longer.

use std::path::{Path, PathBuf};
use std::process::Command;

use testbed::skip;

/// Python 3.10 and later.
const OLDEST: &str = "import sys; raise SystemExit(sys.version_info < (3, 10))";

#[test]
fn the_python_package_works() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let ends_well = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !ends_well(Command::new("python3").args(["-c", OLDEST])) {
        skip("there is no python3 of 3.10 or later, so the Python package is not tested");
        return;
    }
    let built = built();
    // A place of its own, which is kept: to install pytest takes longer than the tests.
    let venv = built.parent().unwrap().with_file_name("python-tests");
    let python = venv.join("bin/python");
    if !ends_well(Command::new(&python).args(["-c", "import pytest"])) {
        let made = ends_well(Command::new("python3").args(["-m", "venv"]).arg(&venv));
        if !made || !ends_well(Command::new(&python).args(["-m", "pip", "install", "--quiet", "pytest"])) {
            skip("pip cannot install pytest into a virtual environment, so the Python package is not tested");
            return;
        }
    }
    let package = Folder(std::env::temp_dir().join(format!("allotrope-package-{}", std::process::id())));
    copy(&root.join("python/allotrope"), &package.0.join("allotrope"));
    std::fs::copy(&built, package.0.join("allotrope/_native.abi3.so")).unwrap();
    let output = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir"])
        .arg(root.join("python"))
        .arg(root.join("python/tests"))
        .arg("--doctest-modules")
        .arg(package.0.join("allotrope"))
        .current_dir(&package.0)
        .env("PYTHONPATH", &package.0)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("ALLOTROPE_ROOT", &root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// The module, which cargo has built beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name = format!("{}allotrope_python{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.parent().unwrap().join(name)
}

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let is_source =
            path.extension().is_some_and(|ending| ["py", "pyi", "typed"].iter().any(|known| *known == ending));
        if is_source {
            std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}
