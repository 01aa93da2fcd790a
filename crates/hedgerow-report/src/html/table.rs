//! Numbers at the top, tables, bars and facts.

use super::escape::{Safe, shorten};
use super::palette::color_class;
use crate::number::{bytes, count, number, percent_of_hundred, seconds};
use crate::{Alignment, BarsView, Fact, Summary, TableView};

/// Longer tables and lists of bars are cut, with a word about it.
const MOST_ROWS: usize = 500;
/// So are longer texts of cells and names of bars.
const LONGEST_CELL: usize = 160;

pub(super) fn summary(view: &Summary) -> String {
    let mut tiles = Vec::new();
    let of =
        |whole: Option<u64>, what: &str| whole.map_or(String::new(), |whole| format!("of {} {what}", count(whole)));
    let mut tile = |name: &str, value: Option<String>, small: String| {
        if let Some(value) = value {
            let small = if small.is_empty() { small } else { format!("<small>{}</small>", Safe(&small)) };
            tiles.push(format!(
                "<div><dt>{}</dt><dd>{}{small}</dd></div>",
                Safe(&shorten(name, LONGEST_CELL)),
                Safe(&shorten(&value, LONGEST_CELL))
            ));
        }
    };
    tile("Error", view.error_percent.map(percent_of_hundred), of(view.n_queries, "queries"));
    tile("Stored examples", view.nodes.map(count), of(view.n_examples, "shown"));
    tile("Size", view.bytes.map(bytes), String::new());
    tile("One query", view.microseconds_per_query.map(|time| format!("{} µs", number(time))), String::new());
    tile("Training", view.train_seconds.map(seconds), String::new());
    for fact in &view.others {
        tile(&fact.name, Some(fact.value.clone()), String::new());
    }
    if tiles.is_empty() { String::new() } else { format!("<dl class=\"tiles\">{}</dl>", tiles.concat()) }
}

pub(super) fn table(view: &TableView) -> String {
    let align = |place: usize| match view.columns[place].alignment {
        Alignment::Left => "",
        Alignment::Right => " class=\"num\"",
    };
    let heading = |place: usize| {
        format!("<th{} scope=\"col\">{}</th>", align(place), Safe(&shorten(&view.columns[place].name, LONGEST_CELL)))
    };
    let mut lines = format!("<tr>{}</tr>", (0..view.columns.len()).map(heading).collect::<String>());
    for (nth, row) in view.rows.iter().take(MOST_ROWS).enumerate() {
        let marked = if view.marked_row == Some(nth) { " class=\"marked\"" } else { "" };
        let cell = |place: usize| {
            let text = row.get(place).map_or("", String::as_str);
            let (open, close) = if place == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
            format!("<{open}{}>{}</{close}>", align(place), Safe(&shorten(text, LONGEST_CELL)))
        };
        lines.push_str(&format!("<tr{marked}>{}</tr>", (0..view.columns.len()).map(cell).collect::<String>()));
    }
    let mut note = view.note.clone().unwrap_or_default();
    if view.rows.len() > MOST_ROWS {
        note.push_str(&format!(" The first {MOST_ROWS} of {} rows.", count(view.rows.len() as u64)));
    }
    let note = if note.is_empty() { note } else { format!("<p class=\"note\">{}</p>", Safe(note.trim())) };
    format!(
        "<figure class=\"wide\"><figcaption class=\"caption\">{0}</figcaption><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\
         <table>{lines}</table></div>{note}</figure>",
        Safe(&view.title)
    )
}

pub(super) fn bars(view: &BarsView) -> String {
    let usable = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
    let most = view.bars.iter().map(|bar| usable(bar.value)).fold(0.0, f64::max);
    let unit = if view.unit.is_empty() { String::new() } else { format!(" {}", view.unit) };
    let row = |bar: &crate::Bar| {
        let share = if most > 0.0 { usable(bar.value) / most } else { 0.0 };
        format!(
            "<li><span>{}</span><span class=\"track {}\"><i style=\"width:{:.1}%\"></i></span><span class=\"amount\">{}{}</span></li>",
            Safe(&shorten(&bar.name, LONGEST_CELL)),
            color_class(Some(0)),
            100.0 * share,
            number(bar.value),
            Safe(&unit)
        )
    };
    let rows = view.bars.iter().take(MOST_ROWS).map(row).collect::<String>();
    format!(
        "<figure><figcaption class=\"caption\">{}</figcaption><ul class=\"bars\">{rows}</ul></figure>",
        Safe(&view.title)
    )
}

pub(super) fn facts(facts: &[Fact]) -> String {
    let row = |fact: &Fact| format!("<dt>{}</dt><dd>{}</dd>", Safe(&fact.name), Safe(&fact.value));
    format!("<dl class=\"facts\">{}</dl>", facts.iter().map(row).collect::<String>())
}
