//! tmp
use std::time::Instant;
use hedgerow_core::*;
fn idx(path: &str, skip: usize) -> Vec<u8> { std::fs::read(path).unwrap()[skip..].to_vec() }
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let x = Points::from_u8(784, idx(&format!("{dir}/train-images-idx3-ubyte"), 16)).unwrap();
    let y: Vec<Label> = idx(&format!("{dir}/train-labels-idx1-ubyte"), 8).iter().map(|&c| Label::class(c as u32)).collect();
    let xt = Points::from_u8(784, idx(&format!("{dir}/t10k-images-idx3-ubyte"), 16)).unwrap();
    let yt: Vec<Label> = idx(&format!("{dir}/t10k-labels-idx1-ubyte"), 8).iter().map(|&c| Label::class(c as u32)).collect();
    let ex = Examples::new(x.view(), &y).unwrap();
    let what = std::env::args().nth(2).unwrap_or_default();
    let run = |s: &mut dyn NeighborSearch, name: &str| {
        let t = Instant::now(); s.insert_all(&ex).unwrap(); let train = t.elapsed().as_secs_f64();
        let t = Instant::now(); let p = s.predict_all(xt.view()).unwrap(); let test = t.elapsed().as_secs_f64();
        if what.contains('q') { for _ in 0..8 { let t = Instant::now(); s.predict_all(xt.view()).unwrap(); println!("q {:.3}", t.elapsed().as_secs_f64()); } }
        let err = p.iter().zip(&yt).filter(|(p, y)| p.label != **y).count();
        println!("{name}: train {train:.2} s, query {test:.2} s, err {:.2} %, stored {}", err as f64 / 100.0, s.n_stored());
    };
    if what.contains('t') { run(&mut BoundaryTreeParams::default().max_children(50).build().unwrap(), "tree(50)"); }
    if what.contains('f') { let mut f = BoundaryForestParams::default().build().unwrap(); run(&mut f, "forest(50,50)");
        let n: usize = f.trees().map(|t| t.len()).sum(); println!("nodes per tree {}, bytes {}", n/50, f.size_bytes());
        let t0 = f.trees().next().unwrap(); let d: f64 = t0.nodes().map(|n| t0.depth(n) as f64).sum::<f64>()/t0.len() as f64; println!("mean depth {d}");
        let mut total=0usize; let mut distinct=0usize; let mut below=[0usize;7]; let cuts=[256u64,512,1024,2048,4096,8192,16384]; let mut lev=[0usize;12];
        for i in 0..200 { let mut seen=std::collections::HashSet::new(); for t in f.traverse(xt.row(i)).unwrap() { for (l,s) in t.steps.iter().enumerate() { lev[l.min(11)]+=s.children.len(); for c in &s.children { total+=1; let r=c.neighbor.id.0; seen.insert(r); for (b,c) in below.iter_mut().zip(cuts) { if r<c {*b+=1;} } } } } distinct+=seen.len(); }
        println!("per query: total {} distinct {} below {:?} levels {:?}", total/200, distinct/200, below.map(|b| b as f64/total as f64), lev.map(|l| l/200));
    }
    if what.contains('s') { run(&mut BoundarySetParams::default().build().unwrap(), "set"); }
    if what.contains('h') { run(&mut BoundarySetParams::default().passes(Passes::UntilConsistent).build().unwrap(), "hart"); }
    if what.contains('l') { run(&mut LinearScanParams::default().build().unwrap(), "scan"); }
}
