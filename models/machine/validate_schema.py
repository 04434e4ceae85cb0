# SPDX-License-Identifier: MIT
"""validate_schema.py SCHEMA DOCUMENT...: one line "valid" or "invalid" for each JSON document."""
import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for path in sys.argv[2:]:
    with open(path) as file:
        print("valid" if validator.is_valid(json.load(file)) else "invalid")
