package mad

// ClassRouter is weft's own class for routers between subnets, in the vendors' range: subnet
// managers leave notes for each other in a router, and configure its forwarding. Devices of another
// vendor may use it differently: only an answer with the signature counts.
const ClassRouter Class = 0x0A

// The attributes of ClassRouter.
const (
	AttrRouterInfo  AttrID = 0x0010 // Get; the modifier is the number of a note
	AttrRouterNote  AttrID = 0x0011 // Get, Set; the modifier is the number of a block
	AttrRouterTable AttrID = 0x0012 // Get, Set, of the port by which it arrives; the modifier is the number of a block
)

// RouterMagic is the signature of RouterInfo.
const RouterMagic = 0x77656674

// The layouts of ClassRouter.
var (
	// RouterInfo identifies a router, its port, and the notes it holds.
	RouterInfo          = newAttribute(ClassRouter, AttrRouterInfo, "RouterInfo", 48, "vendor")
	RouterInfoSignature = RouterInfo.bits("Signature", 0*8, 32, hex, enum(named{RouterMagic, "weft"}))
	RouterInfoPort      = RouterInfo.bits("Port", 4*8, 8, note("by which the request came"))
	RouterInfoNotes     = RouterInfo.bits("Notes", 6*8, 16, note("held"))
	RouterInfoGUID      = RouterInfo.bits("GUID", 8*8, 64, hex, note("of the router"))
	RouterInfoPrefix    = RouterInfo.bits("Prefix", 16*8, 64, hex, note("of the subnet that the note is about; from here on 0 where there are fewer notes"))
	RouterInfoVersion   = RouterInfo.bits("Version", 24*8, 64, note("of the note"))
	RouterInfoLength    = RouterInfo.bits("Length", 32*8, 32, note("of the note, in bytes"))

	// RouterBlock is a block of a note, or of the table of a port.
	RouterBlock        = newAttribute(ClassRouter, AttrRouterNote, "RouterBlock", 192, "vendor").as(ClassRouter, AttrRouterTable)
	RouterBlockPrefix  = RouterBlock.bits("Prefix", 0*8, 64, hex, note("of the subnet that the note is about"))
	RouterBlockVersion = RouterBlock.bits("Version", 8*8, 64, note("0: there is none"))
	RouterBlockLength  = RouterBlock.bits("Length", 16*8, 32, note("of the whole, in bytes"))
	RouterBlockData    = RouterBlock.bytes("Data", 20, RouterBlockSize, hexBytes)
)

// RouterBlockSize is the number of bytes in a block.
const RouterBlockSize = 172
