// The commands, a file each. Each returns its exit code.
#pragma once

#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "scenarios/catalog.hpp"

namespace lockstep::cli {

int list(const ListArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int check(const CheckArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int replay(const ReplayArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int live(const LiveArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int learn(const LearnArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int test(const TestArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int report(const ReportArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int diff(const DiffArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int matrix(const MatrixArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int why(const WhyArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int graph(const GraphArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int make_new(const NewArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int record(const RecordArguments& arguments, const scenarios::Catalog& catalog, Io& io);
int eval(const EvalArguments& arguments, Io& io);
int shell(const ShellArguments& arguments, Io& io);
int conform(const ConformArguments& arguments, const scenarios::Catalog& catalog, Io& io);

}  // namespace lockstep::cli
