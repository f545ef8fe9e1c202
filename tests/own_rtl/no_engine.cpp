// SPDX-License-Identifier: Apache-2.0
// A shared library that is no engine.
extern "C" int something_else();
int something_else() { return 0; }
