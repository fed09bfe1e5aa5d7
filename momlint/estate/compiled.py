"""Made by `momlint.estate.compiling` out of `momlint.estate.model`; not to be edited."""

# ruff: noqa: E501

from typing import Any

#: The release of pydantic-core that it was made with.
MADE_WITH = "2.50"

#: The core schema; classes and functions by their names.
SCHEMA: dict[str, Any] = {
    "type": "definitions",
    "schema": {
        "type": "model",
        "cls": "EstateFile",
        "schema": {
            "type": "model-fields",
            "fields": {
                "momlint": {"type": "model-field", "schema": {"type": "literal", "expected": [1]}},
                "name": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {"type": "nullable", "schema": {"type": "str"}},
                        "default": None,
                    },
                },
                "brokers": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "dict",
                                "keys_schema": {"type": "str", "min_length": 1},
                                "values_schema": {
                                    "type": "nullable",
                                    "schema": {
                                        "type": "model",
                                        "cls": "BrokerEntry",
                                        "schema": {
                                            "type": "model-fields",
                                            "fields": {
                                                "address": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "nullable", "schema": {"type": "str"}},
                                                        "default": None,
                                                    },
                                                },
                                                "site": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "nullable", "schema": {"type": "str"}},
                                                        "default": None,
                                                    },
                                                },
                                                "tags": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {"type": "list", "items_schema": {"type": "str"}},
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                                "processing_ms": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "function-before",
                                                                "function": {
                                                                    "type": "no-info",
                                                                    "function": "read_float",
                                                                },
                                                                "schema": {
                                                                    "type": "float",
                                                                    "ge": 0,
                                                                    "le": 1000000000000000.0,
                                                                    "allow_inf_nan": False,
                                                                },
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                                "availability": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "function-before",
                                                                "function": {
                                                                    "type": "no-info",
                                                                    "function": "read_float",
                                                                },
                                                                "schema": {
                                                                    "type": "float",
                                                                    "ge": 0,
                                                                    "le": 1,
                                                                    "allow_inf_nan": False,
                                                                },
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                            },
                                            "model_name": "BrokerEntry",
                                        },
                                        "custom_init": False,
                                        "root_model": False,
                                        "config": {"extra_fields_behavior": "forbid"},
                                        "ref": "BrokerEntry",
                                    },
                                },
                            },
                        },
                        "default": None,
                    },
                },
                "links": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "list",
                                "items_schema": {
                                    "type": "function-after",
                                    "function": {"type": "no-info", "function": "has_ends"},
                                    "schema": {
                                        "type": "model",
                                        "cls": "LinkEntry",
                                        "schema": {
                                            "type": "model-fields",
                                            "fields": {
                                                "id": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "str", "min_length": 1},
                                                        "default": "",
                                                    },
                                                },
                                                "between": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "list",
                                                            "items_schema": {"type": "str", "min_length": 1},
                                                            "min_length": 2,
                                                            "max_length": 2,
                                                        },
                                                        "default": [],
                                                    },
                                                },
                                                "source": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "str", "min_length": 1},
                                                        "default": "",
                                                    },
                                                    "validation_alias": "from",
                                                },
                                                "target": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "str", "min_length": 1},
                                                        "default": "",
                                                    },
                                                    "validation_alias": "to",
                                                },
                                                "cost": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "function-before",
                                                            "function": {"type": "no-info", "function": "read_float"},
                                                            "schema": {
                                                                "type": "float",
                                                                "gt": 0,
                                                                "le": 1000000000000000.0,
                                                                "allow_inf_nan": False,
                                                            },
                                                        },
                                                        "default": 1.0,
                                                    },
                                                },
                                                "latency_ms": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "function-before",
                                                            "function": {"type": "no-info", "function": "read_float"},
                                                            "schema": {
                                                                "type": "float",
                                                                "ge": 0,
                                                                "le": 1000000000000000.0,
                                                                "allow_inf_nan": False,
                                                            },
                                                        },
                                                        "default": 0.0,
                                                    },
                                                },
                                                "availability": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "function-before",
                                                                "function": {
                                                                    "type": "no-info",
                                                                    "function": "read_float",
                                                                },
                                                                "schema": {
                                                                    "type": "float",
                                                                    "ge": 0,
                                                                    "le": 1,
                                                                    "allow_inf_nan": False,
                                                                },
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                            },
                                            "model_name": "LinkEntry",
                                        },
                                        "custom_init": False,
                                        "root_model": False,
                                        "config": {"extra_fields_behavior": "forbid"},
                                    },
                                    "ref": "LinkEntry",
                                },
                            },
                        },
                        "default": None,
                    },
                },
                "groups": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "dict",
                                "keys_schema": {"type": "str", "min_length": 1},
                                "values_schema": {
                                    "type": "nullable",
                                    "schema": {"type": "list", "items_schema": {"type": "str", "min_length": 1}},
                                },
                            },
                        },
                        "default": None,
                    },
                },
                "include": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {"type": "list", "items_schema": {"type": "str", "min_length": 1}},
                        },
                        "default": None,
                    },
                },
                "topics": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "dict",
                                "keys_schema": {"type": "str", "min_length": 1},
                                "values_schema": {
                                    "type": "nullable",
                                    "schema": {
                                        "type": "model",
                                        "cls": "TopicEntry",
                                        "schema": {
                                            "type": "model-fields",
                                            "fields": {
                                                "publishers": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "list",
                                                                "items_schema": {"type": "str", "min_length": 1},
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                                "subscribers": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "list",
                                                                "items_schema": {"type": "str", "min_length": 1},
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                                "max_latency_ms": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "function-before",
                                                                "function": {
                                                                    "type": "no-info",
                                                                    "function": "read_float",
                                                                },
                                                                "schema": {
                                                                    "type": "float",
                                                                    "ge": 0,
                                                                    "le": 1000000000000000.0,
                                                                    "allow_inf_nan": False,
                                                                },
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                                "max_hops": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "function-before",
                                                                "function": {
                                                                    "type": "no-info",
                                                                    "function": "read_count",
                                                                },
                                                                "schema": {"type": "int", "ge": 0, "le": 2147483647},
                                                            },
                                                        },
                                                        "default": None,
                                                    },
                                                },
                                            },
                                            "model_name": "TopicEntry",
                                        },
                                        "custom_init": False,
                                        "root_model": False,
                                        "config": {"extra_fields_behavior": "forbid"},
                                        "ref": "TopicEntry",
                                    },
                                },
                            },
                        },
                        "default": None,
                    },
                },
                "routing": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "model",
                                "cls": "RoutingEntry",
                                "schema": {
                                    "type": "model-fields",
                                    "fields": {
                                        "protocol": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {"type": "literal", "expected": ["shortest-path", "tables"]},
                                                "default": "shortest-path",
                                            },
                                        },
                                        "tables": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {
                                                    "type": "nullable",
                                                    "schema": {
                                                        "type": "dict",
                                                        "keys_schema": {"type": "str", "min_length": 1},
                                                        "values_schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "dict",
                                                                "keys_schema": {"type": "str", "min_length": 1},
                                                                "values_schema": {
                                                                    "type": "list",
                                                                    "items_schema": {"type": "str", "min_length": 1},
                                                                },
                                                            },
                                                        },
                                                    },
                                                },
                                                "default": None,
                                            },
                                        },
                                    },
                                    "model_name": "RoutingEntry",
                                },
                                "custom_init": False,
                                "root_model": False,
                                "config": {"extra_fields_behavior": "forbid"},
                                "ref": "RoutingEntry",
                            },
                        },
                        "default": None,
                    },
                },
                "failures": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "model",
                                "cls": "FailuresEntry",
                                "schema": {
                                    "type": "model-fields",
                                    "fields": {
                                        "tolerate": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {
                                                    "type": "nullable",
                                                    "schema": {
                                                        "type": "tagged-union",
                                                        "choices": {
                                                            "\x00word": {
                                                                "type": "literal",
                                                                "expected": ["none", "single-link", "single-broker"],
                                                            },
                                                            "\x00counts": {
                                                                "type": "definition-ref",
                                                                "schema_ref": "TolerateEntry",
                                                            },
                                                        },
                                                        "discriminator": "tolerate_form",
                                                    },
                                                },
                                                "default": None,
                                            },
                                        },
                                        "colours": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {
                                                    "type": "nullable",
                                                    "schema": {
                                                        "type": "dict",
                                                        "keys_schema": {"type": "str", "min_length": 1},
                                                        "values_schema": {
                                                            "type": "nullable",
                                                            "schema": {
                                                                "type": "list",
                                                                "items_schema": {"type": "str", "min_length": 1},
                                                            },
                                                        },
                                                    },
                                                },
                                                "default": None,
                                            },
                                        },
                                        "recovery": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {
                                                    "type": "nullable",
                                                    "schema": {
                                                        "type": "tagged-union",
                                                        "choices": {
                                                            "\x00rows": {
                                                                "type": "dict",
                                                                "keys_schema": {"type": "str", "min_length": 1},
                                                                "values_schema": {
                                                                    "type": "nullable",
                                                                    "schema": {
                                                                        "type": "list",
                                                                        "items_schema": {
                                                                            "type": "function-after",
                                                                            "function": {
                                                                                "type": "no-info",
                                                                                "function": "has_one_set",
                                                                            },
                                                                            "schema": {
                                                                                "type": "model",
                                                                                "cls": "RecoveryRowEntry",
                                                                                "schema": {
                                                                                    "type": "model-fields",
                                                                                    "fields": {
                                                                                        "to": {
                                                                                            "type": "model-field",
                                                                                            "schema": {
                                                                                                "type": "str",
                                                                                                "min_length": 1,
                                                                                            },
                                                                                        },
                                                                                        "via": {
                                                                                            "type": "model-field",
                                                                                            "schema": {
                                                                                                "type": "str",
                                                                                                "min_length": 1,
                                                                                            },
                                                                                        },
                                                                                        "colours": {
                                                                                            "type": "model-field",
                                                                                            "schema": {
                                                                                                "type": "default",
                                                                                                "schema": {
                                                                                                    "type": "list",
                                                                                                    "items_schema": {
                                                                                                        "type": "str",
                                                                                                        "min_length": 1,
                                                                                                    },
                                                                                                },
                                                                                                "default": [],
                                                                                            },
                                                                                        },
                                                                                        "excepted": {
                                                                                            "type": "model-field",
                                                                                            "schema": {
                                                                                                "type": "default",
                                                                                                "schema": {
                                                                                                    "type": "list",
                                                                                                    "items_schema": {
                                                                                                        "type": "str",
                                                                                                        "min_length": 1,
                                                                                                    },
                                                                                                },
                                                                                                "default": [],
                                                                                            },
                                                                                            "validation_alias": "except",
                                                                                        },
                                                                                    },
                                                                                    "model_name": "RecoveryRowEntry",
                                                                                },
                                                                                "custom_init": False,
                                                                                "root_model": False,
                                                                                "config": {
                                                                                    "extra_fields_behavior": "forbid"
                                                                                },
                                                                            },
                                                                            "ref": "RecoveryRowEntry",
                                                                        },
                                                                    },
                                                                },
                                                            },
                                                            "\x00file": {
                                                                "type": "definition-ref",
                                                                "schema_ref": "RecoveryFileEntry",
                                                            },
                                                        },
                                                        "discriminator": "recovery_form",
                                                    },
                                                },
                                                "default": None,
                                            },
                                        },
                                        "takeover": {
                                            "type": "model-field",
                                            "schema": {
                                                "type": "default",
                                                "schema": {
                                                    "type": "nullable",
                                                    "schema": {
                                                        "type": "dict",
                                                        "keys_schema": {"type": "str", "min_length": 1},
                                                        "values_schema": {"type": "str", "min_length": 1},
                                                    },
                                                },
                                                "default": None,
                                            },
                                        },
                                    },
                                    "model_name": "FailuresEntry",
                                },
                                "custom_init": False,
                                "root_model": False,
                                "config": {"extra_fields_behavior": "forbid"},
                                "ref": "FailuresEntry",
                            },
                        },
                        "default": None,
                    },
                },
                "specs": {
                    "type": "model-field",
                    "schema": {
                        "type": "default",
                        "schema": {
                            "type": "nullable",
                            "schema": {
                                "type": "list",
                                "items_schema": {
                                    "type": "function-after",
                                    "function": {"type": "no-info", "function": "has_one_logic"},
                                    "schema": {
                                        "type": "model",
                                        "cls": "SpecEntry",
                                        "schema": {
                                            "type": "model-fields",
                                            "fields": {
                                                "name": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "nullable", "schema": {"type": "str"}},
                                                        "default": None,
                                                    },
                                                },
                                                "ctl": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "str", "min_length": 1},
                                                        "default": "",
                                                    },
                                                },
                                                "ltl": {
                                                    "type": "model-field",
                                                    "schema": {
                                                        "type": "default",
                                                        "schema": {"type": "str", "min_length": 1},
                                                        "default": "",
                                                    },
                                                },
                                            },
                                            "model_name": "SpecEntry",
                                        },
                                        "custom_init": False,
                                        "root_model": False,
                                        "config": {"extra_fields_behavior": "forbid"},
                                    },
                                    "ref": "SpecEntry",
                                },
                            },
                        },
                        "default": None,
                    },
                },
            },
            "model_name": "EstateFile",
        },
        "custom_init": False,
        "root_model": False,
        "config": {"extra_fields_behavior": "forbid"},
        "ref": "EstateFile",
    },
    "definitions": [
        {
            "type": "model",
            "cls": "TolerateEntry",
            "schema": {
                "type": "model-fields",
                "fields": {
                    "links": {
                        "type": "model-field",
                        "schema": {
                            "type": "default",
                            "schema": {
                                "type": "function-before",
                                "function": {"type": "no-info", "function": "read_count"},
                                "schema": {"type": "int", "ge": 0, "le": 2147483647},
                            },
                            "default": 0,
                        },
                    },
                    "brokers": {
                        "type": "model-field",
                        "schema": {
                            "type": "default",
                            "schema": {
                                "type": "function-before",
                                "function": {"type": "no-info", "function": "read_count"},
                                "schema": {"type": "int", "ge": 0, "le": 2147483647},
                            },
                            "default": 0,
                        },
                    },
                    "groups": {
                        "type": "model-field",
                        "schema": {
                            "type": "default",
                            "schema": {
                                "type": "function-before",
                                "function": {"type": "no-info", "function": "read_count"},
                                "schema": {"type": "int", "ge": 0, "le": 2147483647},
                            },
                            "default": 0,
                        },
                    },
                },
                "model_name": "TolerateEntry",
            },
            "custom_init": False,
            "root_model": False,
            "config": {"extra_fields_behavior": "forbid"},
            "ref": "TolerateEntry",
        },
        {
            "type": "model",
            "cls": "RecoveryFileEntry",
            "schema": {
                "type": "model-fields",
                "fields": {"file": {"type": "model-field", "schema": {"type": "str", "min_length": 1}}},
                "model_name": "RecoveryFileEntry",
            },
            "custom_init": False,
            "root_model": False,
            "config": {"extra_fields_behavior": "forbid"},
            "ref": "RecoveryFileEntry",
        },
    ],
}
