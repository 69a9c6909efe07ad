package chart

import "bytes"

// DarkStyle is a style sheet that draws pictures of this package in light colours on a dark page,
// where the reader's system prefers that. The colours of series stay apart for colour-blind
// readers.
const DarkStyle = `@media (prefers-color-scheme: dark) {
svg text { fill: #e8e8e8 }
svg [style*="fill:#FFFFFF"] { fill: #16191d !important }
svg [style*="stroke:#FFFFFF"] { stroke: #16191d !important }
svg [style*="fill:#000000"] { fill: #e8e8e8 !important }
svg [style*="stroke:#000000"] { stroke: #e8e8e8 !important }
svg [style*="stroke:#DDDDDD"] { stroke: #3a3f46 !important }
svg [style*="fill:#0072B2"] { fill: #2f8fdb !important }
svg [style*="stroke:#0072B2"] { stroke: #2f8fdb !important }
svg [style*="fill:#009E73"] { fill: #14b88a !important }
svg [style*="stroke:#009E73"] { stroke: #14b88a !important }
svg [style*="fill:#56B4E9"] { fill: #a5dcff !important }
svg [style*="stroke:#56B4E9"] { stroke: #a5dcff !important }
svg [style*="fill:#7A3E9D"] { fill: #b583dd !important }
svg [style*="stroke:#7A3E9D"] { stroke: #b583dd !important }
}
`

// Inline returns a picture as an element of an HTML page: without the head of a file, and with
// fonts to fall back on. The page needs DarkStyle once.
func Inline(svg []byte) []byte {
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:]
	}
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
}

// Themed returns a picture as a file that follows the reader's preference for dark pages.
func Themed(svg []byte) []byte {
	inline := Inline(svg)
	end := bytes.IndexByte(inline, '>') + 1
	out := append([]byte("<?xml version=\"1.0\"?>\n"), inline[:end]...)
	out = append(out, "\n<style>"+DarkStyle+"</style>"...)
	return append(out, inline[end:]...)
}
