/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The parts of <stdint.h> that the portable driver uses, from kernel headers. */
#ifndef MXE_SHIM_STDINT_H
#define MXE_SHIM_STDINT_H

#include <linux/limits.h>
#include <linux/types.h>

#ifndef UINT32_C
#define UINT32_C(value) value##U
#endif
#ifndef UINT32_MAX
#define UINT32_MAX U32_MAX
#endif
#ifndef UINT64_MAX
#define UINT64_MAX U64_MAX
#endif

#endif
