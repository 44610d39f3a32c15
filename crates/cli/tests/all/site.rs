//! `allotrope site`: the documentation as pages, whose links all lead somewhere.

use std::collections::BTreeMap;
use std::path::Path;

use crate::browser;
use crate::folder::Folder;

fn root() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap().display().to_string()
}

/// What stands after each of these marks, up to the next quotation mark.
fn after<'p>(page: &'p str, mark: &str) -> Vec<&'p str> {
    page.split(mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_documentation_of_the_project_has_no_broken_link() {
    let folder = Folder::new("site");
    let said = folder.run_well(&format!("site --documents {} -o site", root()));
    assert!(said.contains(" pages: open site/index.html"), "{said}");
    let files: BTreeMap<String, Vec<u8>> = std::fs::read_dir(folder.path("site"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    let text = |name: &str| String::from_utf8_lossy(&files[name]);
    // The links are followed once more, in the pages as a browser reads them.
    let mut followed = 0;
    for name in files.keys().filter(|name| name.ends_with(".html")) {
        let page = text(name);
        let links = after(&page, "href=\"").into_iter().chain(after(&page, "src=\""));
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with("data:")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name.as_str() } else { file };
            assert!(files.contains_key(file), "{name}: {link}");
            followed += 1;
            if !anchor.is_empty() {
                assert!(text(file).contains(&format!("id=\"{anchor}\"")), "{name}: {link}");
            }
        }
        assert!(!page.contains("src=\"http") && !page.contains("stylesheet\" href=\"http"), "{name} fetches something");
    }
    assert!(followed > 1000, "{followed}");
    for name in [
        "docs-guide.html",
        "transformations-for-to-while.html",
        "commands-attack.html",
        "models-README.html",
        "attacks-beam.html",
    ] {
        assert!(files.contains_key(name), "no {name}");
    }
    let guide = text("docs-guide.html");
    for link in ["href=\"commands-report.html\"", "href=\"crates-campaign-FIDELITY.html\"", "href=\"#use-a-gpu\""] {
        assert!(guide.contains(link), "no {link}");
    }
    // The same documents give the same bytes.
    folder.run_well(&format!("site --documents {} -o again", root()));
    for (name, bytes) in &files {
        assert!(std::fs::read(folder.path(&format!("again/{name}"))).unwrap() == *bytes, "{name}");
    }
    let Some(mut command) = browser::script("browser.mjs") else { return };
    for name in
        ["index", "docs-guide", "transformations-for-to-while", "commands-attack", "crates-search-EVIDENCE", "contents"]
    {
        command.arg(folder.path(&format!("site/{name}.html")));
    }
    browser::run(command);
}

#[test]
fn without_documents_there_are_manual_pages() {
    let folder = Folder::new("site-alone");
    folder.run_well("site -o site");
    assert!(folder.read("site/index.html").contains("attacks-beam.html"));
    folder.run_badly("site --documents site -o other", 3, &["site holds no documents", "README.md"]);
    folder.write("broken/README.md", "# A\n\n[there](nowhere.md), [below](#none)\n");
    folder.run_badly(
        "site --documents broken -o other",
        3,
        &["2 of the links", "README.md: nowhere.md", "README.md: #none"],
    );
    assert!(!folder.path("other").exists());
    folder.write("file", "");
    folder.run_badly("site -o file", 3, &["failed to write file"]);
}
