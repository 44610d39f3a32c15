//! `allotrope record` and `allotrope distil` as a user types them: answers in files, students of them, killed and resumed, and mistakes.

use std::path::Path;

use serde_json::Value;

use crate::folder::Folder;

const TINY: &str = "--layers 1 --hidden 16 --heads 2 --inner 24 --vocabulary 300 --max-tokens 24 --batch-tokens 200 --warm-up 4 \
                    --log-every 2 --checkpoint-every 3 --seed 5 --learning-rate 0.005";

/// Programs that add or multiply.
fn rows(count: usize, is_labelled: bool) -> String {
    let row = |number: usize| {
        let (label, code) = match number % 2 {
            0 => ("sum", format!("total = {number}\nfor item in data:\n    total += item\n")),
            _ => ("product", format!("result = {number}\nfor factor in data:\n    result *= factor\n")),
        };
        let mut row = serde_json::json!({"id": number, "label": label, "language": "python", "code": code});
        if !is_labelled {
            row.as_object_mut().unwrap().remove("label");
        }
        format!("{row}\n")
    };
    (0..count).map(row).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn accuracy(folder: &Folder, model: &str, data: &str) -> f64 {
    let said = json(&folder.run_well(&format!("evaluate --model {model} --data {data} --json")));
    said["measures"][0]["value"].as_f64().unwrap()
}

#[test]
fn answers_are_recorded_and_are_a_model() {
    let folder = Folder::new("recorded");
    folder.write("data.jsonl", rows(40, true));
    folder.write("more.jsonl", rows(44, true));
    folder.run_well("train --data data.jsonl -o teacher.safetensors");
    let teacher = "builtin:./teacher.safetensors";
    let told = folder.run_well(&format!("record --model {teacher} --data data.jsonl -o answers.jsonl"));
    assert!(told.contains("recorded:answers.jsonl") && told.contains("40, 40 queried now"), "{told}");
    let told = folder.run_well(&format!("record --model {teacher} --data more.jsonl -o answers.jsonl"));
    assert!(told.contains("44, 4 queried now"), "{told}");
    let scores = ["data.jsonl", "more.jsonl"].map(|data| accuracy(&folder, "recorded:answers.jsonl", data));
    assert_eq!(scores, ["data.jsonl", "more.jsonl"].map(|data| accuracy(&folder, teacher, data)));
    // Another model's answers do not go into the same file.
    folder.run_badly("record --model builtin:problems --data data.jsonl -o answers.jsonl", 2, &["another model"]);

    // What another program wrote, by ids and by rows.
    folder.run_well(&format!("evaluate --model {teacher} --data data.jsonl --predictions said.jsonl"));
    folder.run_well("record --answers said.jsonl --data data.jsonl -o by-id.jsonl");
    assert_eq!(accuracy(&folder, "recorded:by-id.jsonl", "data.jsonl"), scores[0]);
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 2), }\n";
    let mut array = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    // A product is the first class, and every second program is one.
    (0..40).for_each(|row| {
        [0.0_f32, if row % 4 == 0 { 2.0 } else { -1.0 }].iter().for_each(|score| array.extend(score.to_le_bytes()))
    });
    folder.write("said.npy", &array);
    folder.run_well("record --answers said.npy --data data.jsonl -o by-row.jsonl");
    assert_eq!(accuracy(&folder, "recorded:by-row.jsonl", "data.jsonl"), 0.75);
    // What is not in it has no answer, and is said to have none.
    let told = folder.run_well("evaluate --model recorded:by-row.jsonl --data more.jsonl");
    assert!(
        told.contains("40 measured, 44 queried") && told.contains("4 times: there is no recorded answer"),
        "{told}"
    );

    for (arguments, status, words) in [
        (
            "attack --model recorded:answers.jsonl --data data.jsonl --attack random-k -o run",
            2,
            "known by its recorded answers alone",
        ),
        ("record --answers said.npy --data more.jsonl -o out.jsonl", 2, "40 rows"),
        ("record --answers said.jsonl --data nowhere.jsonl -o out.jsonl", 3, "nowhere.jsonl"),
        ("record --data data.jsonl -o out.jsonl", 2, "--model"),
        ("evaluate --model recorded:data.jsonl --data data.jsonl", 3, "line 1"),
        ("evaluate --model recorded:nowhere.jsonl --data data.jsonl", 3, "nowhere.jsonl"),
        (
            "distil --teacher recorded:answers.jsonl --data data.jsonl --variants rename-local --faithful 1 -o out",
            2,
            "leave out --faithful",
        ),
    ] {
        folder.run_badly(arguments, status, &[words]);
    }
}

#[test]
fn a_student_follows_its_teacher_whenever_it_is_killed() {
    let folder = Folder::new("distilled");
    folder.write("data.jsonl", rows(60, true));
    folder.write("bare.jsonl", rows(60, false));
    folder.run_well("train --data data.jsonl -o teacher.safetensors");
    let command = format!(
        "distil --teacher builtin:./teacher.safetensors --data data.jsonl --epochs 8 {TINY} --temperature 2 --label-weight 0.1 \
         --variants rename-local --names pseudo --rewrites 2 --metamorphic 0.1 --faithful 0.5 --forms 2 --json"
    );
    let told = json(&folder.run_well(&format!("{command} -o whole")));
    assert!(told["training"]["best"]["score"]["accuracy"].as_f64().unwrap() > 0.8, "{told}");
    assert!(accuracy(&folder, "hf:whole", "data.jsonl") > 0.8);
    // All answers of the teacher are a model: to 60 examples, and to two variants of those that were learned from.
    let answers = folder.read("whole/training/teacher.jsonl");
    assert!((61..=1 + 60 + 2 * 48).contains(&answers.lines().count()), "{}", answers.lines().count());
    assert!(accuracy(&folder, "recorded:whole/training/teacher.jsonl", "data.jsonl") > 0.9);
    let read = |folder: &Path| {
        (
            std::fs::read(folder.join("model.safetensors")).unwrap(),
            std::fs::read(folder.join("training/teacher.jsonl")).unwrap(),
        )
    };
    let whole = read(&folder.path("whole"));
    folder.kill_until_done(8, &command, |killed| {
        assert!(read(&folder.path(killed)) == whole, "{killed} has other weights or answers");
    });

    // Without labels the teacher says what is right, and a student goes on where another stopped.
    let bare = "distil --teacher recorded:whole/training/teacher.jsonl --student hf:whole --data bare.jsonl --code code --task unlabelled --loss cross-entropy --epochs 2 \
                --batch-tokens 200 --warm-up 2 --learning-rate 0.002 --json -o further";
    let told = json(&folder.run_well(bare));
    assert!(told["training"]["best"]["score"]["accuracy"].as_f64().unwrap() > 0.8, "{told}");
    assert!(accuracy(&folder, "hf:further", "data.jsonl") > 0.8);
    // The states of an encoder, as wide and of another width.
    for (number, shape) in ["--hidden 16 --heads 2", "--hidden 12 --heads 3"].into_iter().enumerate() {
        let pulled = format!(
            "distil --teacher hf:whole --data data.jsonl --epochs 16 --layers 1 {shape} --inner 24 --vocabulary 300 --max-tokens 24 --batch-tokens 200 \
             --warm-up 4 --learning-rate 0.005 --hidden-states 0.5 --json"
        );
        let name = format!("pulled-{number}");
        let told = json(&folder.run_well(&format!("{pulled} -o {name}")));
        assert!(told["training"]["best"]["score"]["accuracy"].as_f64().unwrap() > 0.7, "{told}");
        // The projection is no part of the model, and the states are in the folder.
        assert!(
            !String::from_utf8_lossy(&std::fs::read(folder.path(&name).join("model.safetensors")).unwrap())
                .contains("distillation")
        );
        assert!(folder.path(&name).join("training/teacher-states.bin").is_file());
    }
    let estimate = json(&folder.run_well(&format!("{command} --dry-run -o estimated")));
    assert!(estimate["parameters"].as_u64().unwrap() > 0 && !folder.path("estimated").exists());

    for (arguments, status, words) in [
        (format!("{command} --seed 6 -o whole"), 2, "seed"),
        (format!("{command} --hidden-states 1 -o stateless"), 2, "no hidden states"),
        ("distil --teacher builtin:problems --data data.jsonl -o out".to_owned(), 2, "name the teacher's classes"),
        ("distil --teacher builtin:problems --data data.jsonl --faithful 1 -o out".to_owned(), 2, "--variants"),
        ("distil --teacher builtin:problems --data data.jsonl --label-weight 2 -o out".to_owned(), 2, "from 0 to 1"),
        ("distil --teacher builtin:problems --data data.jsonl --from hf:whole -o out".to_owned(), 2, "--from"),
        ("distil --teacher builtin:problems --data data.jsonl --decoder-layers 2 -o out".to_owned(), 2, "classes"),
        ("distil --teacher builtin:problems --data data.jsonl -o data.jsonl".to_owned(), 3, "data.jsonl"),
    ] {
        folder.run_badly(&arguments, status, &[words]);
    }
}

#[test]
fn pairs_are_distilled() {
    let folder = Folder::new("distilled-pairs");
    let code =
        |kind: usize| if kind == 0 { "int f(int a) { return a + 1; }" } else { "int g(int b) { return b * 2; }" };
    let functions = (0..8).map(|number| {
        format!(
            "{}\n",
            serde_json::json!({"idx": number.to_string(), "func": format!("{} // {number}", code(number % 2))})
        )
    });
    folder.write("pairs/functions.jsonl", functions.collect::<String>());
    let pairs = |label: &dyn Fn(usize, usize) -> String| -> String {
        (0..8)
            .flat_map(|one| (0..8).map(move |other| (one, other)))
            .map(|(one, other)| format!("{one}\t{other}\t{}\n", label(one, other)))
            .collect()
    };
    // The first program decides, so that a few steps are enough to learn it.
    let is_clone = |one: usize, _: usize| usize::from(one.is_multiple_of(2));
    folder.write("pairs/train.txt", pairs(&|one, other| is_clone(one, other).to_string()));
    folder.write("pairs/unlabelled.txt", pairs(&|one, other| format!("-1\t{}", is_clone(one, other))));
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 2), }\n";
    let mut array = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    for (one, other) in (0..8).flat_map(|one| (0..8).map(move |other| (one, other))) {
        let score = if is_clone(one, other) == 1 { 3.0_f32 } else { -3.0 };
        [-score, score].iter().for_each(|score| array.extend(score.to_le_bytes()));
    }
    folder.write("logits.npy", &array);
    folder.run_well("record --answers logits.npy --data pairs/unlabelled.txt --language java -o teacher.jsonl");
    assert_eq!(accuracy(&folder, "recorded:teacher.jsonl", "pairs/train.txt --language java"), 1.0);
    let command = format!(
        "distil --teacher recorded:teacher.jsonl --data pairs/unlabelled.txt --validation pairs/train.txt --language java --epochs 60 --evaluate-every 20 {TINY} --json"
    );
    let told = json(&folder.run_well(&format!("{command} -o student")));
    assert_eq!(told["learned"]["labels"], serde_json::json!(["different", "clone"]));
    assert!(told["training"]["best"]["score"]["accuracy"].as_f64().unwrap() > 0.7, "{told}");
    // A teacher that can be queried is followed on variants of both programs, too.
    folder.run_well(&format!(
        "distil --teacher hf:student --data pairs/train.txt --language java --steps 6 {TINY} --variants rename-local --faithful 1 --forms 2 -o faithful"
    ));
    folder.run_well("evaluate --model hf:faithful --data pairs/train.txt --language java");
}
