//! Colors and shapes of classes.
//!
//! The colors are those of Okabe and Ito, with brown for their yellow, which is hardly seen on white, and lighter ones on dark pages; they are in
//! `style.css` as `--c0` to `--c7`. Any two of them differ by 14 or more (CIE 1976, in the model of Machado et al. 2009) for protanopes, deuteranopes,
//! tritanopes and others, on light pages by 16. After eight classes the shape of the marker changes, so that 40 classes differ; then all starts again.

use super::escape::{At, Safe};

pub(super) const N_COLORS: usize = 8;
pub(super) const N_SHAPES: usize = 5;

/// The CSS class that gives `--k` the color of a class, gray if there is none.
pub(super) fn color_class(class: Option<usize>) -> String {
    class.map_or("kx".to_owned(), |class| format!("k{}", class % N_COLORS))
}

/// The outline of a class's marker, around a point. Shapes look about equally large.
pub(super) fn marker_path(class: Option<usize>, x: f64, y: f64, radius: f64) -> String {
    let shape = class.map_or(0, |class| class / N_COLORS % N_SHAPES);
    let polygon = |corners: &[(f64, f64)]| {
        let corner = |(right, down): &(f64, f64)| format!("{} {}", At(x + right * radius), At(y + down * radius));
        format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
    };
    match shape {
        0 => {
            let (r, d) = (At(radius), At(2.0 * radius));
            format!("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", At(x - radius), At(y))
        }
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.2), (1.15, 0.8), (-1.15, 0.8)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        _ => {
            let (thin, long) = (0.4, 1.25);
            polygon(&[
                (-thin, -long),
                (thin, -long),
                (thin, -thin),
                (long, -thin),
                (long, thin),
                (thin, thin),
                (thin, long),
                (-thin, long),
                (-thin, thin),
                (-long, thin),
                (-long, -thin),
                (-thin, -thin),
            ])
        }
    }
}

/// A class's marker and name, for use within a line.
pub(super) fn named_class(class: Option<usize>, name: &str) -> String {
    if class.is_none() {
        return format!("<span class=\"class\">{}</span>", Safe(name));
    }
    format!(
        "<span class=\"class\"><svg class=\"mark {}\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"{}\"/></svg>{}</span>",
        color_class(class),
        marker_path(class, 0.0, 0.0, 5.5),
        Safe(name)
    )
}
