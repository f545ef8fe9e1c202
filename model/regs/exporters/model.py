# SPDX-License-Identifier: Apache-2.0
"""The register description as plain values, read from SystemRDL."""

import dataclasses
import enum
import pathlib

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegfileNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType


class Unsupported(Exception):
    """The description uses a feature that the exporters do not support."""


class Kind(enum.Enum):
    """Function of a field."""

    CONSTANT = "constant"  # read-only, constant
    INPUT = "input"  # read-only, driven by the hardware
    STORAGE = "storage"  # written by software, read by both
    PULSE = "pulse"  # writing 1 gives a pulse of one cycle, reads 0
    EVENT = "event"  # set by the hardware, cleared by writing 1
    REQUEST = "request"  # software writes a request and reads the value that hardware drives


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    low: int
    width: int
    kind: Kind
    reset: int
    write_mask: int  # writable bits of the field
    notifies: bool  # has an output that is high for one cycle after a write
    desc: str
    encoding: str | None  # name of the enumeration of its values
    reserved: bool  # descriptor field that must be zero

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.low

    @property
    def is_whole_register(self) -> bool:
        return self.name == "value"

    @property
    def high(self) -> int:
        return self.low + self.width - 1


@dataclasses.dataclass(frozen=True)
class Register:
    name: str
    offset: int
    width: int
    desc: str
    fields: tuple[Field, ...]
    counter: str | None  # name of the 64-bit counter (counter_r) that contains this word

    @property
    def is_writable(self) -> bool:
        return any(f.kind in (Kind.STORAGE, Kind.PULSE, Kind.EVENT, Kind.REQUEST) for f in self.fields)

    @property
    def reset(self) -> int:
        return sum(f.reset << f.low for f in self.fields)

    def mask_of(self, *kinds: Kind) -> int:
        return sum(f.mask for f in self.fields if f.kind in kinds)

    @property
    def storage_mask(self) -> int:
        """Bits that keep the value that software writes."""
        return sum(f.write_mask << f.low for f in self.fields if f.kind is Kind.STORAGE)

    @property
    def reserved_mask(self) -> int:
        """Bits of a descriptor word that must be zero: bits without a field and reserved fields."""
        used = sum(f.mask for f in self.fields if not f.reserved)
        return ((1 << self.width) - 1) & ~used


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of the engine. A field of a capability register shows it to software."""

    name: str  # as in the parameter list of mxe_top
    place: int  # position in that list, from 1
    unit: str
    configurations: dict[str, int]  # the value in each named configuration
    low: int
    high: int
    power_of_two: bool
    choices: tuple[int, ...]  # allowed values; empty: low to high
    at_least: str | None  # another parameter
    at_most: str | None
    desc: str
    register: str
    offset: int  # of the register
    field: Field

    @property
    def shown_by(self) -> str:
        """REGISTER or REGISTER.field."""
        whole = self.field.is_whole_register
        return self.register if whole else f"{self.register}.{self.field.name}"

    @property
    def member(self) -> str:
        return self.name.lower()

    @property
    def allowed(self) -> str:
        """The allowed values as text after "must be", without limits by other parameters."""
        if self.choices:
            *most, last = map(str, self.choices)
            return f"{', '.join(most)} or {last}"
        kind = "a power of two from" if self.power_of_two else "from"
        return f"{kind} {self.low} to {self.high}"


@dataclasses.dataclass(frozen=True)
class Counter:
    name: str
    offset: int  # of its low word
    desc: str
    part_of_total: bool
    wait_of_array: bool
    exact_between_jobs_only: bool
    depends_on_data: bool

    @property
    def member(self) -> str:
        return self.name.lower()


@dataclasses.dataclass(frozen=True)
class EnumValue:
    name: str
    value: int
    desc: str


@dataclasses.dataclass(frozen=True)
class ElementShape:
    """Encoding of an element format."""

    name: str  # in lower case
    code: int
    integer: bool
    exponent_bits: int
    mantissa_bits: int
    bias: int
    nan: bool
    infinity: bool

    @property
    def bits(self) -> int:
        return self.mantissa_bits + (2 if self.integer else 1 + self.exponent_bits)

    @property
    def stored_bits(self) -> int:
        """Bits of an element in a packed row."""
        return 4 if self.bits <= 4 else 6 if self.bits <= 6 else 8

    @property
    def max_code(self) -> int:
        """Code of the largest finite number."""
        not_finite = (1 << self.mantissa_bits) if self.infinity else 1 if self.nan else 0
        return (1 << (self.bits - 1)) - 1 - not_finite

    @property
    def min_log2(self) -> int:
        """log2 of the smallest normal number. An integer format has one normal binade, from 1 to 2."""
        return 0 if self.integer else 1 - self.bias

    @property
    def max_log2(self) -> int:
        """floor(log2 of the largest finite number)."""
        return self.min_log2 + (self.max_code >> self.mantissa_bits) - 1

    @property
    def magnitude_bits(self) -> int:
        """Bits of the largest magnitude in units of the smallest one."""
        return self.bits if self.integer else self.mantissa_bits + 1 + self.max_log2 - self.min_log2

    @property
    def max_significand(self) -> int:
        """Significand of the largest finite number as one of FP32, with 23 bits after the leading one."""
        hidden = 1 << self.mantissa_bits
        return (hidden | self.max_code % hidden) << (23 - self.mantissa_bits)


@dataclasses.dataclass(frozen=True)
class Block:
    """An address map: the registers of the device, or the words of a descriptor."""

    title: str
    desc: str
    registers: tuple[Register, ...]
    enums: dict[str, tuple[EnumValue, ...]]
    parameters: tuple[Parameter, ...]  # in the order of their places
    counter_list: tuple[Counter, ...]  # in the order of their addresses
    element_shapes: tuple[ElementShape, ...]  # in the order of their codes
    source: AddrmapNode  # for exporters of PeakRDL

    @property
    def configurations(self) -> list[str]:
        return list(self.parameters[0].configurations)

    @property
    def capabilities(self) -> list[Register]:
        """The registers that show parameters, in the order of their addresses."""
        names = {p.register for p in self.parameters}
        return [r for r in self.registers if r.name in names]

    @property
    def counters(self) -> list[str]:
        return list(dict.fromkeys(r.counter for r in self.registers if r.counter))


def field_kind(node: FieldNode) -> Kind:
    software, hardware = node.get_property("sw"), node.get_property("hw")
    if node.get_property("singlepulse"):
        return Kind.PULSE
    if node.get_property("onwrite") == OnWriteType.woclr and node.get_property("hwset"):
        return Kind.EVENT
    if node.get_property("onwrite") is not None:
        raise Unsupported(f"{node.get_path()}: onwrite is not supported; allowed: woclr with hwset")
    if software == AccessType.rw:
        return Kind.REQUEST if hardware == AccessType.rw else Kind.STORAGE
    if software == AccessType.r:
        return Kind.CONSTANT if hardware == AccessType.na else Kind.INPUT
    raise Unsupported(f"{node.get_path()}: sw = {software.name} is not supported; allowed: r, rw")


def read_field(node: FieldNode) -> Field:
    encoding = node.get_property("encode")
    everything = (1 << node.width) - 1
    return Field(
        name=node.inst_name,
        low=node.low,
        width=node.width,
        kind=field_kind(node),
        reset=node.get_property("reset") or 0,
        write_mask=node.get_property("write_mask", default=everything),
        notifies=node.get_property("swmod"),
        desc=node.get_property("desc"),
        encoding=encoding.type_name if encoding else None,
        reserved=node.get_property("reserved", default=False),
    )


def read_register(node: RegNode, top: AddrmapNode) -> Register:
    desc = node.get_property("desc")
    counter = None
    if node.parent != top:  # a word of a register file: first the description of the file
        desc = f"{node.parent.get_property('desc')} {desc}"
        if node.parent.orig_type_name == "counter_r":
            counter = node.parent.inst_name
    return Register(
        name=node.get_rel_path(top).replace(".", "_"),
        offset=node.absolute_address,
        width=node.size * 8,
        desc=desc,
        fields=tuple(sorted((read_field(f) for f in node.fields()), key=lambda f: f.low)),
        counter=counter,
    )


def read_limits(node: RegNode | FieldNode) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    """Returns (only powers of two are allowed, (first value, last value), list of allowed values or ())."""
    kinds = [k for k in ("power_of_two", "range", "one_of") if node.get_property(k, default=None)]
    if len(kinds) != 1:
        raise Unsupported(f"{node.get_path()}: needs exactly one of power_of_two, range, one_of; has {len(kinds)}")
    numbers = tuple(int(n) for n in node.get_property(kinds[0]))
    if kinds[0] == "one_of":
        return False, (min(numbers), max(numbers)), numbers
    if len(numbers) != 2:
        raise Unsupported(f"{node.get_path()}: {kinds[0]} takes the first and the last value")
    return kinds[0] == "power_of_two", numbers, ()


def read_parameter(node: RegNode | FieldNode, top: AddrmapNode) -> Parameter | None:
    row = node.get_property("parameter", default=None)
    if not row:
        return None
    members = dict(row.members)
    power_of_two, (low, high), choices = read_limits(node)
    is_field = isinstance(node, FieldNode)
    register = node.parent if is_field else node
    return Parameter(
        name=node.inst_name.upper(),
        place=int(members.pop("place")),
        unit=members.pop("unit"),
        configurations={name: int(value) for name, value in members.items()},
        low=low,
        high=high,
        power_of_two=power_of_two,
        choices=choices,
        at_least=node.get_property("at_least", default=None),
        at_most=node.get_property("at_most", default=None),
        desc=node.get_property("desc"),
        register=register.get_rel_path(top),
        offset=register.absolute_address,
        field=read_field(node if is_field else node.get_child_by_name("value")),
    )


def read_parameters(top: AddrmapNode) -> tuple[Parameter, ...]:
    found = [read_parameter(n, top) for n in top.descendants()
             if isinstance(n, (RegNode, FieldNode))]
    parameters = sorted((p for p in found if p), key=lambda p: p.place)
    if [p.place for p in parameters] != list(range(1, len(parameters) + 1)):
        raise Unsupported("the places of the parameters are not 1, 2, 3, ...")
    names = [p.name for p in parameters]
    for p in parameters:
        for other in (p.at_least, p.at_most):
            if other and other not in names:
                raise Unsupported(f"{p.name}: there is no parameter {other}")
    return tuple(parameters)


def read_counter(node: RegfileNode) -> Counter:
    def is_set(name: str) -> bool:
        return bool(node.get_property(name, default=False))

    return Counter(
        name=node.inst_name,
        offset=node.absolute_address,
        desc=node.get_property("desc"),
        part_of_total=is_set("part_of_total"),
        wait_of_array=is_set("wait_of_array"),
        exact_between_jobs_only=is_set("exact_between_jobs_only"),
        depends_on_data=is_set("depends_on_data"),
    )


def read_counters(top: AddrmapNode) -> tuple[Counter, ...]:
    return tuple(read_counter(n) for n in top.descendants()
                 if isinstance(n, RegfileNode) and n.orig_type_name == "counter_r")


def read_enums(nodes: list[RegNode]) -> dict[str, tuple[EnumValue, ...]]:
    enums = {}
    for node in nodes:
        for field in node.fields():
            if encoding := field.get_property("encode"):
                enums[encoding.type_name] = tuple(
                    EnumValue(m.name, m.value, m.rdl_desc) for m in encoding
                )
    return enums


def read_shape(members: dict) -> ElementShape:
    code = members["code"]
    numbers = {name: int(members[name]) for name in ("exponent_bits", "mantissa_bits", "bias")}
    flags = {name: bool(members[name]) for name in ("integer", "nan", "infinity")}
    shape = ElementShape(name=code.name.lower(), code=code.value, **numbers, **flags)
    if shape.infinity and not shape.nan:
        raise Unsupported(f"{code.name}: a format with infinities must have NaN")
    if shape.integer and (shape.exponent_bits or shape.bias or shape.nan):
        raise Unsupported(f"{code.name}: an integer format has no exponent, bias or NaN")
    if shape.mantissa_bits < 1 or shape.bits > 8 or not (shape.integer or shape.exponent_bits):
        raise Unsupported(f"{code.name}: {shape.bits} bits with {shape.exponent_bits} exponent and "
                          f"{shape.mantissa_bits} mantissa bits; allowed: at most 8 bits, at least 1 of each")
    return shape


def read_shapes(top: AddrmapNode, enums: dict[str, tuple[EnumValue, ...]]) -> tuple[ElementShape, ...]:
    shapes = tuple(read_shape(row.members) for row in top.get_property("element_shapes", default=()))
    if not shapes:
        return shapes
    codes = [(s.name.upper(), s.code) for s in shapes]
    expected = [(v.name, code) for code, v in enumerate(enums["element_format"])]
    if codes != expected or codes != [(v.name, v.value) for v in enums["element_format"]]:
        raise Unsupported("the rows of element_shapes are not those of enum element_format, 0, 1, 2, ...")
    results = [(v.name, v.value - 8) for v in enums["output_format"] if v.value >= 8]
    if codes != results:
        raise Unsupported("output_format does not have the codes of element_format plus 8")
    return shapes


def read_block(rdl: pathlib.Path, top_name: str) -> Block:
    """Compiles `rdl` and reads its address map `top_name`."""
    compiler = RDLCompiler()
    compiler.compile_file(str(rdl))
    top = compiler.elaborate(top_name).top
    nodes = [n for n in top.descendants() if isinstance(n, RegNode)]
    enums = read_enums(nodes)
    return Block(
        title=top.get_property("name"),
        desc=top.get_property("desc"),
        registers=tuple(read_register(n, top) for n in nodes),
        enums=enums,
        parameters=read_parameters(top),
        counter_list=read_counters(top),
        element_shapes=read_shapes(top, enums),
        source=top,
    )
