//! The matrix of answers, and the table of classes.

use super::escape::{Safe, shorten};
use super::palette::named_class;
use crate::ConfusionView;
use crate::number::{count, percent};

/// Larger matrices are told as the pairs confused most often.
const LARGEST: usize = 30;
const MOST_PAIRS: usize = 30;
/// Of more classes, the table shows those recognised least.
const MOST_CLASSES: usize = 40;
const LONGEST_NAME: usize = 48;

pub(super) fn confusion(view: &ConfusionView) -> String {
    if view.classes.is_empty() {
        return "<p class=\"empty\">There are no classes.</p>".to_owned();
    }
    if view.classes.len() > LARGEST {
        return pairs(view);
    }
    let has_unknown = view.unknown.iter().any(|&times| times > 0);
    let n = view.classes.len();
    let largest = |is_wanted: fn(usize, usize) -> bool| {
        let cells = (0..n).flat_map(|truth| (0..n).map(move |said| (truth, said)));
        cells
            .filter(|(truth, said)| is_wanted(*truth, *said))
            .map(|(truth, said)| view.count(truth, said))
            .max()
            .unwrap_or(0)
    };
    let (most_right, most_wrong) = (largest(|truth, said| truth == said), largest(|truth, said| truth != said));
    let tall = if view.classes.iter().any(|name| name.chars().count() > 4) || has_unknown { " tall" } else { "" };
    let heading = |name: &String| format!("<th scope=\"col\"><span>{}</span></th>", Safe(&shorten(name, 24)));
    let mut table = format!(
        "<tr><th class=\"corner\" scope=\"col\">truth \\ said</th>{}",
        view.classes.iter().map(heading).collect::<String>()
    );
    if has_unknown {
        table.push_str("<th scope=\"col\"><span>unknown</span></th>");
    }
    table.push_str("</tr>");
    for (truth, name) in view.classes.iter().enumerate() {
        table.push_str(&format!("<tr><th scope=\"row\">{}</th>", named_class(Some(truth), &shorten(name, 16))));
        for (said, said_name) in view.classes.iter().enumerate() {
            let times = view.count(truth, said);
            let (kind, most) = if truth == said { ("right", most_right) } else { ("wrong", most_wrong) };
            let title = format!("{name} said to be {said_name}: {}", count(times));
            table.push_str(&cell(times, most, kind, &title));
        }
        if has_unknown {
            let times = view.unknown.get(truth).copied().unwrap_or(0);
            let most = view.unknown.iter().copied().max().unwrap_or(0);
            table.push_str(&cell(times, most, "unsaid", &format!("{name}, not answered: {}", count(times))));
        }
        table.push_str("</tr>");
    }
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Matrix of answers\"><table class=\"matrix{tall}\">{table}</table></div>\
         <p class=\"note\">Rows are true classes, columns what was said. Right answers and mistakes are shaded by scales of their own.</p>"
    )
}

fn cell(times: u64, most: u64, kind: &str, title: &str) -> String {
    if times == 0 {
        return "<td class=\"none\">0</td>".to_owned();
    }
    // By the root: single mistakes stay visible beside many.
    let share = (times as f64 / most as f64).sqrt();
    format!(
        "<td class=\"{kind}\" style=\"--a:{:.2}\" title=\"{}\">{}</td>",
        0.08 + 0.92 * share,
        Safe(title),
        count(times)
    )
}

fn pairs(view: &ConfusionView) -> String {
    let name = |class: usize| named_class(Some(class), &shorten(&view.classes[class], LONGEST_NAME));
    let row = |pair: &crate::ConfusedPair| {
        format!(
            "<tr><td>{}</td><td>{}</td><td class=\"num\">{}</td></tr>",
            name(pair.truth),
            name(pair.said),
            count(pair.count)
        )
    };
    let rows = view.most_confused(MOST_PAIRS).iter().map(row).collect::<String>();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Pairs confused most often\"><table><tr><th scope=\"col\">truth</th>\
         <th scope=\"col\">said</th><th class=\"num\" scope=\"col\">times</th></tr>{rows}</table></div><p class=\"note\">Of {} classes, the pairs \
         that are confused most often.</p>",
        count(view.classes.len() as u64)
    )
}

pub(super) fn classes(view: &ConfusionView) -> String {
    let mut classes = view.per_class();
    let n_classes = classes.len();
    if n_classes > MOST_CLASSES {
        // Classes that have no example are not told apart badly.
        classes.sort_by(|one, two| one.recall.unwrap_or(2.0).total_cmp(&two.recall.unwrap_or(2.0)));
        classes.truncate(MOST_CLASSES);
    }
    let has_unknown = view.unknown.iter().any(|&times| times > 0);
    let share = |share: Option<f64>| match share {
        Some(share) => {
            format!("<td class=\"num bar\" style=\"--a:{:.1}%\"><span>{}</span></td>", 100.0 * share, percent(share))
        }
        None => "<td class=\"num\">-</td>".to_owned(),
    };
    let row = |class: &crate::ClassQuality| {
        let unknown =
            if has_unknown { format!("<td class=\"num\">{}</td>", count(class.n_unknown)) } else { String::new() };
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td>{unknown}{}{}</tr>",
            named_class(Some(class.class), &shorten(&view.classes[class.class], LONGEST_NAME)),
            count(class.n_true),
            count(class.n_wrong),
            share(class.recall),
            share(class.precision)
        )
    };
    let unknown = if has_unknown { "<th class=\"num\" scope=\"col\">unknown</th>" } else { "" };
    let note = if n_classes > classes.len() {
        format!(
            "<p class=\"note\">Of {} classes, the {} that are recognised least.</p>",
            count(n_classes as u64),
            classes.len()
        )
    } else {
        String::new()
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of classes\"><table><tr><th scope=\"col\">class</th>\
         <th class=\"num\" scope=\"col\">examples</th><th class=\"num\" scope=\"col\">wrong</th>{unknown}<th class=\"num\" scope=\"col\">recall</th>\
         <th class=\"num\" scope=\"col\">precision</th></tr>{}</table></div>{note}",
        classes.iter().map(row).collect::<String>()
    )
}
