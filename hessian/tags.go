package hessian

// Tags of the wire form, as Dubbo's Java implementation reads and writes them.
const (
	tagStringShortMax    = 0x1f
	tagBinaryShort       = 0x20 // to 0x2f: binary of 0 to 15 bytes
	tagStringMedium      = 0x30 // to 0x33: string of up to 1023 units
	tagBinaryMedium      = 0x34 // to 0x37: binary of up to 1023 bytes
	tagLongThree         = 0x38 // to 0x3f: long in three bytes
	tagBinaryChunk       = 'A'
	tagBinary            = 'B'
	tagClass             = 'C'
	tagDouble            = 'D'
	tagFalse             = 'F'
	tagMapUntyped        = 'H'
	tagInt               = 'I'
	tagDate              = 0x4a
	tagDateMinute        = 0x4b
	tagLong              = 'L'
	tagMap               = 'M'
	tagNull              = 'N'
	tagObject            = 'O'
	tagRef               = 'Q'
	tagStringChunk       = 'R'
	tagString            = 'S'
	tagTrue              = 'T'
	tagListVar           = 'U' // typed, until 'Z'
	tagList              = 'V' // typed, length
	tagListVarUntyped    = 'W'
	tagListUntyped       = 'X'
	tagLongInt           = 'Y'
	tagEnd               = 'Z'
	tagDoubleZero        = 0x5b
	tagDoubleOne         = 0x5c
	tagDoubleByte        = 0x5d
	tagDoubleShort       = 0x5e
	tagDoubleMill        = 0x5f
	tagObjectDirect      = 0x60 // to 0x6f: object of class 0 to 15
	tagListDirect        = 0x70 // to 0x77: typed list of 0 to 7
	tagListUntypedDirect = 0x78 // to 0x7f: untyped list of 0 to 7
	tagIntOne            = 0x80 // to 0xbf, zero at 0x90
	tagIntTwo            = 0xc0 // to 0xcf, zero at 0xc8
	tagIntThree          = 0xd0 // to 0xd7, zero at 0xd4
	tagLongOne           = 0xd8 // to 0xef, zero at 0xe0
	tagLongTwo           = 0xf0 // to 0xff, zero at 0xf8
)
