"""A session of an editor whose text has so many modules in each other: nested.py COUNT"""

import json
import sys

count = int(sys.argv[1])
text = "module {\n" * count + "}\n" * count
document = {"uri": "test:///deep.mlir", "languageId": "mlir", "version": 1, "text": text}
messages = [
    {"id": 0, "method": "initialize", "params": {"processId": 1, "capabilities": {}}},
    {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    {"id": 1, "method": "shutdown"},
    {"method": "exit"},
]
print("\n// -----\n".join(json.dumps({"jsonrpc": "2.0", **message}) for message in messages))
