//! Texts, most of about a hundred characters.

#![allow(dead_code, reason = "no bench has all of them")]

/// A sysbench `c` value.
pub const DIGITS: &str = "68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";
pub const ENGLISH: &str = "It was a bright cold day in April and the clocks were striking thirteen, Winston Smith hurried through the glass doors.";
pub const GERMAN: &str =
    "Zwölf große Boxkämpfer jagen den schönen Viktor quer über den Sylter Deich, während Äpfel im Öl brüteten";
pub const RUSSIAN: &str =
    "Съешь же ещё этих мягких французских булок да выпей чаю, а потом иди гулять по улице где растут липы";
pub const FRENCH: &str =
    "été élève forêt déjà où çà près thé âge île créé brûlé gênée pâté têtu maïs noël hôtel sûreté épée fée";
/// Latin, Cyrillic and Greek words in turn.
pub const MIXED: &str =
    "Zürich Москва Αθήνα Kraków Київ Θεσσαλονίκη München Минск Πάτρα Łódź Одесса Ρόδος Genève Самара Κέρκυρα Málaga";
/// Words of several scripts, ideographs and emoji.
pub const LONG_MIXED: &str = "音乐 состояние storm machine 市场 удивление move 🙏🏾 子 dictionaries früh правило 天气 garden 🌍 Αθήνα łódka 学习 берег winter 中 река";
pub const CHINESE: &str = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳推位让国有虞陶唐";

/// First sentences of the Universal Declaration of Human Rights, with letters of each language, by
/// the languages' names in MySQL's and MariaDB's collations.
const LANGUAGES: &[(&[&str], &str)] = &[
    (
        &["de_pb", "german2"],
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.",
    ),
    (
        &["is", "icelandic"],
        "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvizku.",
    ),
    (
        &["lv", "latvian"],
        "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu.",
    ),
    (
        &["ro", "romanian"],
        "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune.",
    ),
    (
        &["sl", "slovenian"],
        "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni so z razumom in vestjo.",
    ),
    (
        &["pl", "polish"],
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem.",
    ),
    (
        &["et", "estonian"],
        "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt. Neile on antud mõistus.",
    ),
    (
        &["es", "es_trad", "spanish", "spanish2"],
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos, dotados como están de razón; los niños llegan.",
    ),
    (
        &["sv", "swedish"],
        "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete.",
    ),
    (
        &["tr", "turkish"],
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.",
    ),
    (
        &["cs", "czech"],
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím, chtějí.",
    ),
    (
        &["da", "danish"],
        "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og bør handle i ånd.",
    ),
    (
        &["lt", "lithuanian"],
        "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė.",
    ),
    (
        &["sk", "slovak"],
        "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú obdarení rozumom.",
    ),
    (
        &["la", "roman"],
        "Omnes homines liberi aequique dignitate atque iuribus nascuntur. Ratione conscientiaque praediti sunt.",
    ),
    (
        &["eo", "esperanto"],
        "Ĉiuj homoj estas denaske liberaj kaj egalaj laŭ digno kaj rajtoj. Ili posedas racion kaj konsciencon.",
    ),
    (
        &["hu", "hungarian"],
        "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek ésszel és lelkiismerettel bírnak.",
    ),
    (
        &["hr", "bs", "sr_latn", "croatian"],
        "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Obdarena su razumom i sviješću, žele.",
    ),
    (&["vi", "vietnamese"], "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi."),
    (&["ru"], "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью."),
    (&["bg"], "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест."),
    (&["mn_cyrl"], "Хүн бүр төрж мэндлэхэд эрх чөлөөтэй, адилхан нэр төртэй, ижил эрхтэй байдаг. Оюун ухаан заяасан."),
    (
        &["nb", "nn"],
        "Alle mennesker er født frie og med samme menneskeverd. De er utstyrt med fornuft og bør handle i brorskapets ånd.",
    ),
    (
        &["gl"],
        "Todos os seres humanos nacen libres e iguais en dignidade e dereitos e, dotados como están de razón; mañá.",
    ),
    (&["ja"], "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。カードとコーヒー。"),
    (&["zh"], "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"),
    (
        &["persian"],
        "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان می‌باشند.",
    ),
    (&["sinhala"], "සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත. ගරුත්වයෙන් හා අයිතිවාසිකම්වලින් සමාන වෙති."),
];

/// Text in a language.
pub fn of_language(language: &str) -> &'static str {
    let found = LANGUAGES.iter().find(|(names, _)| names.contains(&language));
    found.unwrap_or_else(|| panic!("there is no text for {language}")).1
}

/// Language and levels (`as_cs`) of a MySQL collation of 0900 in utf8mb4.
pub fn language_of_0900(collation: &str) -> Option<(&str, &str)> {
    collation.strip_prefix("utf8mb4_")?.split_once("_0900_")
}

/// Language of a MariaDB collation of uca1400 in utf8mb4 that ignores accents and case, and pads.
pub fn language_of_uca1400(collation: &str) -> Option<&str> {
    let language = collation.strip_prefix("utf8mb4_uca1400_")?.strip_suffix("_ai_ci")?;
    (!language.ends_with("nopad")).then_some(language)
}

/// The text with a character that it does not contain in place of its last.
pub fn with_last_changed(text: &str) -> String {
    let mut changed: String = text.chars().take(text.chars().count() - 1).collect();
    changed.push(if text.is_ascii() { '~' } else { 'ѣ' });
    changed
}

/// French without its accents.
pub fn unaccented(text: &str) -> String {
    let plain = |c| match c {
        'à' | 'â' => 'a',
        'ç' => 'c',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' => 'o',
        'ù' | 'û' => 'u',
        c => c,
    };
    text.chars().map(plain).collect()
}
