// SPDX-License-Identifier: Apache-2.0
// A shared library without an engine.
extern "C" int something_else();
int something_else() { return 0; }
