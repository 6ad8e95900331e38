// Command line to exit code; see the header.
#include "cli/run.hpp"

#include <exception>
#include <filesystem>
#include <new>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

/// One case for each command.
struct Dispatch {
  Io& io;
  int operator()(const TextArguments& arguments) const {
    io.out << arguments.text;
    return kAsExpected;
  }
  int operator()(const ListArguments& arguments) const {
    return list(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const CheckArguments& arguments) const {
    return check(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const ReplayArguments& arguments) const {
    return replay(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const LiveArguments& arguments) const {
    return cli::live(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const LearnArguments& arguments) const {
    return learn(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const TestArguments& arguments) const {
    return test(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const ReportArguments& arguments) const {
    return report(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const MatrixArguments& arguments) const {
    return matrix(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const DiffArguments& arguments) const {
    return diff(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const WhyArguments& arguments) const {
    return why(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const GraphArguments& arguments) const {
    return graph(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const NewArguments& arguments) const {
    return make_new(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const RecordArguments& arguments) const {
    return cli::record(arguments, scenarios::Catalog::find(), io);
  }
  int operator()(const EvalArguments& arguments) const { return eval(arguments, io); }
  int operator()(const ShellArguments& arguments) const { return shell(arguments, io); }
  int operator()(const ConformArguments& arguments) const {
    return cli::conform(arguments, scenarios::Catalog::find(), io);
  }
};

}  // namespace

int run(const std::vector<std::string>& words, Io& io) {
  try {
    const int code = std::visit(Dispatch{io}, parse(words));
    io.out.flush();
    if (!io.out) throw sim::BadInput("the output cannot be written, or not all of it");
    return code;
  } catch (const sim::BadInput& error) {
    io.err << "lockstep: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    io.err << "lockstep: " << error.path1().string() << ": " << error.code().message() << '\n';
    return kBadInput;
  } catch (const std::bad_alloc&) {
    io.err << "lockstep: inconclusive: there is no more memory\n";
    return kInconclusive;
  } catch (const std::exception& error) {
    io.err << "lockstep: a bug of lockstep itself, please report it: " << error.what() << '\n';
    return kOwnFailure;
  }
}

}  // namespace lockstep::cli
