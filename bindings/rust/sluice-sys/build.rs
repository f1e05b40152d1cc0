//! Finds libsluice: in $SLUICE_LIBRARY_DIR, else where pkg-config says, else in the release build of the checkout.
use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=SLUICE_LIBRARY_DIR");
    let checkout = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../build/release");
    if let Ok(folder) = env::var("SLUICE_LIBRARY_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    } else if let Some(folder) = from_pkg_config() {
        println!("cargo:rustc-link-search=native={folder}");
    } else if checkout.exists() {
        println!("cargo:rustc-link-search=native={}", checkout.display());
    } else {
        panic!("libsluice was not found: npm run build, or SLUICE_LIBRARY_DIR");
    }
    println!("cargo:rustc-link-lib=dylib=sluice");
}

fn from_pkg_config() -> Option<String> {
    let said = Command::new("pkg-config").args(["--variable=libdir", "sluice"]).output().ok()?;
    let folder = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (said.status.success() && !folder.is_empty()).then_some(folder)
}
