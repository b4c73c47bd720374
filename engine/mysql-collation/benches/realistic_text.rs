//! Names, titles and sentences in fifteen kinds of text: vectors compared with our own scalar code,
//! ICU4C and `memcmp`. Prints the table of docs/results/engine-realistic-text.md.
//!
//! `cargo bench -p mysql-collation --features oracle --bench realistic_text`
//!
//! Each figure is the median CPU time of a call over [`ROUNDS`] rounds; a round times all
//! implementations one after the other.

mod icu4c;

use std::hint::black_box;
use std::time::Duration;

use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use mysql_collation::{Collation, Flavour};

/// Number of timings of each implementation.
const ROUNDS: usize = 31;
/// Duration of one timing.
const SLICE: Duration = Duration::from_micros(150);
/// Number of words of a name, a title and a sentence.
const LENGTHS: [usize; 3] = [2, 6, 18];

/// A language, the separator of words, and about 18 words.
struct Text {
    language: &'static str,
    separator: &'static str,
    words: &'static str,
}

const fn text(language: &'static str, separator: &'static str, words: &'static str) -> Text {
    Text { language, separator, words }
}

const TEXTS: [Text; 15] = [
    text(
        "English",
        " ",
        "Clara Whitfield's garden wasn't ready when the neighbours' children came over and asked for their old wooden swing",
    ),
    text(
        "English, curly quotes",
        " ",
        "Clara Whitfield’s garden wasn’t ready when the neighbours’ children came over and asked for their old wooden swing",
    ),
    text(
        "German",
        " ",
        "Jürgen Größmann fährt jeden Morgen über die schöne Brücke zum Bäcker und kauft für seine Töchter süße Brötchen",
    ),
    text(
        "Polish",
        " ",
        "Łukasz Wiśniewski często pływał łódką po jeziorze gdzie żółte liście spadały cicho na wodę przed późną jesienią tego roku",
    ),
    text(
        "Russian",
        " ",
        "Николай Воробьёв вчера вечером привёз из деревни свежий мёд варенье и большую корзину спелых яблок для своих маленьких внуков",
    ),
    text(
        "Greek",
        " ",
        "Νίκος Παπαδάκης ξύπνησε νωρίς το πρωί άνοιξε το παράθυρο και είδε τη θάλασσα ήρεμη κάτω από τον ήλιο",
    ),
    text(
        "Arabic",
        " ",
        "محمد العلوي ذهب في الصباح إلى السوق القديم واشترى خبزا طازجا وزيتونا وجبنا ثم عاد مسرعا إلى بيته",
    ),
    text("Hebrew", " ", "יעקב לוין הלך בבוקר אל השוק הישן וקנה לחם טרי זיתים וגבינה ואחר כך חזר מהר לביתו הקטן"),
    text("Hindi", " ", "राजेश शर्मा सुबह जल्दी उठकर पुराने बाज़ार गया और वहाँ से ताज़ी सब्ज़ियाँ फल दूध लेकर अपने घर लौटा"),
    text("Thai", "", "สมชาย ใจดี ตื่น แต่ เช้า ไป ตลาด เก่า แล้ว ซื้อ ผัก สด ผลไม้ และ ปลา กลับ บ้าน เร็ว"),
    text("Vietnamese", " ", "Nguyễn Thị Hương dậy sớm mỗi buổi sáng để đi chợ mua rau tươi và cá cho gia đình"),
    text(
        "Korean",
        " ",
        "김민수 선생님은 매일 아침 일찍 일어나서 가까운 시장에 걸어가 신선한 채소와 과일을 사고 이웃들과 반갑게 인사를 나눈 뒤 돌아온다",
    ),
    text(
        "Chinese",
        "",
        "王小明 每天 早上 六点 起床 先到 公园 散步 半个小时 然后 去市场 买新鲜 蔬菜 水果 和鱼 回家 准备 早饭",
    ),
    text(
        "Japanese",
        "",
        "田中さんは 毎朝 早く 起きて 近くの 市場まで 歩いて行き 新鮮な 野菜と 果物を 買って から 駅前の カフェで コーヒーを 飲み 本を 読みます",
    ),
    text("emoji", " ", "happy birthday 🎉🎂 dear friend 😀 see you 🚀 at the beach 🏖 with 🍕 and 🎸 tonight 👍🏽"),
];

impl Text {
    /// The first `count` words.
    fn beginning(&self, count: usize) -> String {
        self.words.split(' ').take(count).collect::<Vec<_>>().join(self.separator)
    }

    /// The first `count` words without the middle word, like a neighbour in a sorted list.
    fn neighbour(&self, count: usize) -> String {
        let words: Vec<&str> = self.words.split(' ').take(count).collect();
        let (before, after) = words.split_at(count / 2);
        [before, &after[1..]].concat().join(self.separator)
    }
}

/// A text with another last character.
fn with_other_end(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let last = characters.pop();
    characters.push(if last == Some('a') { 'b' } else { 'a' });
    characters.into_iter().collect()
}

fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// An implementation: the instruction set to select, if any, and the timed function.
type Implementation<'a> = (Option<&'static str>, Box<dyn FnMut() + 'a>);

/// Returns the median nanoseconds per call of each implementation.
fn time(ways: &mut [Implementation<'_>]) -> Vec<f64> {
    let mut run = |way: usize, calls: u32| {
        let (instruction_set, run) = &mut ways[way];
        if let Some(name) = *instruction_set {
            use_instruction_set(name);
        }
        let begin = cpu_time();
        (0..calls).for_each(|_| run());
        (cpu_time() - begin).as_nanos() as f64 / f64::from(calls)
    };
    let count = 4;
    let calls: Vec<u32> = (0..count)
        .map(|way| (SLICE.as_nanos() as f64 / run(way, 64).min(run(way, 64)).max(1.0)).clamp(8.0, 1e6) as u32)
        .collect();
    let mut times = vec![Vec::new(); count];
    for _ in 0..ROUNDS {
        for (way, (times, &calls)) in times.iter_mut().zip(&calls).enumerate() {
            times.push(run(way, calls));
        }
    }
    times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

/// Folds a key into a number, as a hash table of keys would: eight bytes per multiplication.
fn fold(key: &[u8]) -> u64 {
    key.chunks(8).fold(0, |hash: u64, word| {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        let product = u128::from(hash ^ u64::from_le_bytes(bytes)) * 0x9E37_79B9_7F4A_7C15;
        product as u64 ^ (product >> 64) as u64
    })
}

/// Times an operation by vectors and by scalar code, and two functions to compare with.
fn time_implementations<'a>(ours: impl Fn() + Copy + 'a, icu: impl Fn() + 'a, memcmp: impl Fn() + 'a) -> Vec<f64> {
    let best = instruction_sets().next();
    time(&mut [
        (best, Box::new(ours)),
        (Some("scalar"), Box::new(ours)),
        (best, Box::new(icu)),
        (best, Box::new(memcmp)),
    ])
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci").expect("the library has the collation");
    let icu4c = icu4c::Icu4c::load();
    println!(
        "{}, instruction set {}, ICU4C {}; ns a call: vectors · scalar · ICU4C · memcmp; of a hash: vectors · scalar · key folded into a number · text folded\n",
        collation.name(),
        mysql_collation::instruction_set(),
        icu4c.as_ref().map_or_else(|| "not installed".into(), |icu4c| icu4c.version.to_string())
    );
    println!("| text | words | bytes | equal | differs late | neighbours | key | hash |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let (mut slower, mut dear_hashes) = (Vec::new(), Vec::new());
    let mut keys = Vec::new();
    for text in TEXTS.iter().filter(|text| only.as_ref().is_none_or(|only| text.language.contains(only))) {
        for words in LENGTHS {
            let a = text.beginning(words);
            let (copy, with_last_changed, neighbour) = (a.clone(), with_other_end(&a), text.neighbour(words));
            let utf16: Vec<u16> = a.encode_utf16().collect();
            let a = a.as_bytes();
            let mut cells = Vec::new();
            for b in [&copy, &with_last_changed, &neighbour].map(|b| b.as_bytes()) {
                cells.push(time_implementations(
                    || _ = black_box(collation.compare(black_box(a), black_box(b))),
                    || _ = black_box(icu4c.as_ref().map(|icu4c| icu4c.compare(black_box(a), black_box(b)))),
                    || _ = black_box(black_box(a).cmp(black_box(b))),
                ));
            }
            let key = |text: &[u8]| {
                KEY.with_borrow_mut(|key| {
                    key.clear();
                    collation.sort_key_into(text, key);
                    black_box(key.len())
                })
            };
            let icu_key = || _ = black_box(icu4c.as_ref().map(|icu4c| icu4c.sort_key(black_box(&utf16))));
            let copy = || {
                KEY.with_borrow_mut(|key| {
                    key.clear();
                    key.extend_from_slice(black_box(a));
                    black_box(key.len());
                })
            };
            cells.push(time_implementations(|| _ = key(black_box(a)), icu_key, copy));
            let fold_key = || {
                key(black_box(a));
                KEY.with_borrow(|key| _ = black_box(fold(key)));
            };
            cells.push(time_implementations(
                || _ = black_box(collation.hash_one(black_box(a))),
                fold_key,
                || _ = black_box(fold(black_box(a))),
            ));
            let names = ["equal", "differs late", "neighbours", "key", "hash"];
            for (name, cell) in names.iter().zip(&cells).filter(|(_, cell)| cell[0] > 1.05 * cell[1]) {
                slower.push(format!("{}, {words} words, {name}: {:.2}", text.language, cell[0] / cell[1]));
            }
            if cells[4][0] > 1.05 * cells[4][2] {
                dear_hashes.push(format!("{}, {words} words: {:.2}", text.language, cells[4][0] / cells[4][2]));
            }
            keys.push((text.language, words, cells[3][0]));
            let show = |cell: &Vec<f64>| {
                let shown = cell.iter().map(|time| if *time < 0.5 { "–".into() } else { format!("{time:.0}") });
                shown.collect::<Vec<_>>().join(" · ")
            };
            let cells: Vec<String> = cells.iter().map(show).collect();
            println!("| {} | {words} | {} | {} |", text.language, a.len(), cells.join(" | "));
        }
    }
    println!("\nVectors slower than scalar code by more than 5 %: {}", list(&slower));
    println!("\nHash dearer than key and fold by more than 5 %: {}", list(&dear_hashes));
    for words in LENGTHS {
        let time =
            |language: &str| keys.iter().find(|(name, of, _)| *name == language && *of == words).map(|key| key.2);
        if let (Some(plain), Some(curly)) = (time("English"), time("English, curly quotes")) {
            println!("\nKey of {words} English words, curly quotes: {:.2} × straight ones", curly / plain);
        }
    }
}

thread_local! {
    static KEY: std::cell::RefCell<Vec<u8>> = std::cell::RefCell::new(Vec::with_capacity(4096));
}

fn list(all: &[String]) -> String {
    if all.is_empty() { "none".into() } else { all.join("; ") }
}
