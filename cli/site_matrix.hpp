// `lockstep report --matrix`: matrices as a folder of pages.
#pragma once

#include "cli/arguments.hpp"
#include "cli/io.hpp"
#include "cli/site_folder.hpp"
#include "scenarios/catalog.hpp"

namespace lockstep::cli {

/// Judges the protocols under every condition, and writes a page for each violated verdict. Returns
/// the exit code of `lockstep matrix`.
int report_matrices(const ReportArguments& arguments, const SiteFolder& folder,
                    const scenarios::Catalog& catalog, Io& io);

}  // namespace lockstep::cli
