//! Pages: one file each, without scripts, and without anything from elsewhere.
//!
//! The markup is HTML and well-formed XML at once, so that tests can parse it. Colors are CSS variables, which follow the reader's light or
//! dark; drawings are SVG, with the same variables.

mod axis;
mod confusion;
mod curve;
mod decision;
mod escape;
mod example;
mod map;
mod palette;
mod plot;
mod table;
mod tree;

use escape::Safe;

use crate::wording::verdict_text;
use crate::{DecisionView, Report};

/// Longer headings are cut.
const LONGEST_TITLE: usize = 200;

/// A report as one page. Sections without anything to say are left out.
pub fn render_report_html(report: &Report) -> String {
    let sections = sections(report);
    let link = |section: &Section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
    let links = if sections.len() > 1 {
        format!("<nav aria-label=\"Sections\"><ul>{}</ul></nav>", sections.iter().map(link).collect::<String>())
    } else {
        String::new()
    };
    let lead = report.lead.as_ref().map_or(String::new(), |lead| format!("<p class=\"lead\">{}</p>", Safe(lead)));
    let write = |section: &Section| {
        format!(
            "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>{2}</section>\n",
            section.id, section.title, section.body
        )
    };
    let body = format!(
        "<header><h1>{}</h1>{lead}{links}</header>\n<main>{}\n{}</main>\n",
        Safe(&escape::shorten(&report.title, LONGEST_TITLE)),
        table::summary(&report.summary),
        sections.iter().map(write).collect::<String>()
    );
    let footer =
        report.footer.as_ref().map_or(String::new(), |footer| format!("<footer><p>{}</p></footer>\n", Safe(footer)));
    page(&report.title, &format!("{body}{footer}"))
}

/// One decision as a page of its own.
pub fn render_decision_html(decision: &DecisionView) -> String {
    let heading = "One decision";
    let body = format!(
        "<header><h1>{heading}</h1></header>\n<main><section>{}</section></main>\n",
        decision::decision(decision, 2)
    );
    page(&verdict_text(decision), &body)
}

struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

fn sections(report: &Report) -> Vec<Section> {
    let figures = |drawn: Vec<String>| {
        if drawn.is_empty() { String::new() } else { format!("<div class=\"figures\">{}</div>", drawn.concat()) }
    };
    let decisions = |of: &[DecisionView]| of.iter().map(|of| decision::decision(of, 3)).collect::<String>();
    let trust = report.calibration.iter().map(curve::calibration).chain(report.rejection.iter().map(curve::rejection));
    let comparisons = report.comparisons.iter().map(table::table).collect::<String>()
        + &figures(report.bars.iter().map(table::bars).collect());
    let all = [
        ("comparison", "Comparison", comparisons),
        ("learning", "Learning", figures(report.curves.iter().map(curve::curve).collect())),
        ("map", "Map", report.map.as_ref().map_or(String::new(), map::map)),
        ("tree", "Tree", report.tree.as_ref().map_or(String::new(), tree::tree)),
        ("confusion", "Confusion", report.confusion.as_ref().map_or(String::new(), confusion::confusion)),
        ("classes", "Classes", report.confusion.as_ref().map_or(String::new(), confusion::classes)),
        ("trust", "Trust", figures(trust.collect())),
        ("mistakes", "Mistakes", decisions(&report.mistakes)),
        ("decisions", "Decisions", decisions(&report.decisions)),
        ("data", "Data", if report.data.is_empty() { String::new() } else { table::facts(&report.data) }),
        ("recipe", "Recipe", if report.recipe.is_empty() { String::new() } else { table::facts(&report.recipe) }),
    ];
    all.into_iter()
        .filter(|(_, _, body)| !body.is_empty())
        .map(|(id, title, body)| Section { id, title, body })
        .collect()
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\"/>\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        Safe(&escape::shorten(title, LONGEST_TITLE)),
        include_str!("style.css")
    )
}
