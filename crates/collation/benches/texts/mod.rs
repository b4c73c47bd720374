//! The texts that are compared: about a hundred characters each.

/// A sysbench `c` value.
pub const DIGITS: &str = "68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";
pub const ENGLISH: &str = "It was a bright cold day in April and the clocks were striking thirteen, Winston Smith hurried through the glass doors.";
pub const GERMAN: &str =
    "Zwölf große Boxkämpfer jagen den schönen Viktor quer über den Sylter Deich, während Äpfel im Öl brüteten";
pub const RUSSIAN: &str =
    "Съешь же ещё этих мягких французских булок да выпей чаю, а потом иди гулять по улице где растут липы";
pub const FRENCH: &str =
    "été élève forêt déjà où çà près thé âge île créé brûlé gênée pâté têtu maïs noël hôtel sûreté épée fée";
/// Another script with every word.
#[allow(dead_code, reason = "not every bench has it")]
pub const MIXED: &str =
    "Zürich Москва Αθήνα Kraków Київ Θεσσαλονίκη München Минск Πάτρα Łódź Одесса Ρόδος Genève Самара Κέρκυρα Málaga";
pub const CHINESE: &str = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳推位让国有虞陶唐";

/// The text with another character, one that is none of its own, in the place of the last.
pub fn other_end(text: &str) -> String {
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
