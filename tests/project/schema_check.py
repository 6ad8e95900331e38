"""Holds the shipped scenarios against the published JSON Schema with an independent validator, and the schema against
mistakes that it must refuse: a key or a fault that does not exist, nothing expected, no source."""
import copy
import glob
import json
import sys

import jsonschema


def broken_copies(scenario):
    """Scenarios with one mistake each, and what the mistake is."""
    yield "an unknown key", {**scenario, "fautls": {"pause": 1}}
    yield "a misspelt fault", {**scenario, "faults": {"pauze": 1}}
    for key in ("expect", "source", "protocol"):
        without = copy.deepcopy(scenario)
        del without[key]
        yield f"no `{key}`", without


def main():
    with open("scenarios/scenario.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = []
    files = sorted(set(glob.glob("scenarios/*.json")) - set(glob.glob("scenarios/*.schema.json")))
    for path in files:
        with open(path, encoding="utf-8") as file:
            scenario = json.load(file)
        failures += [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(scenario)]
        failures += [
            f"{path}: the schema accepts {mistake}"
            for mistake, broken in broken_copies(scenario)
            if validator.is_valid(broken)
        ]
    print("\n".join(failures) or f"{len(files)} scenarios agree with the schema")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
