//! A program without the library: for `cargo xtask sizes`.

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    println!("{:?}", arguments.first().cmp(&arguments.last()));
}
