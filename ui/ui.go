// Package ui serves the page: files that Vite builds from the sources in page, embedded from dist.
// It computes nothing: the page asks the API of the same server. docs/page.md is for its readers,
// page/README.md for those who change it.
package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// dist holds the built files. scripts/page writes them; go build needs no Node.
//
//go:embed dist
var dist embed.FS

// policy lets the page load its own files, ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are the media types of the files, by their ending.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// file is a built file.
type file struct {
	media, tag string
	data       []byte
}

// Handler serves the page. Each path without an ending is a view of the page: it gets index.html,
// and the page reads the path.
func Handler() http.Handler {
	files := map[string]file{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := dist.ReadFile(name)
		digest := sha256.Sum256(data)
		files[strings.TrimPrefix(name, "dist")] = file{types[path.Ext(name)], `"` + hex.EncodeToString(digest[:12]) + `"`, data}
		return err
	})
	if err != nil {
		panic("ui: the embedded files cannot be read: " + err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path
		if path.Ext(name) == "" {
			name = "/index.html"
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		f, ok := files[name]
		switch {
		case !ok:
			http.Error(w, "The page has no such file.", http.StatusNotFound)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "want the method GET", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", f.media)
		h.Set("ETag", f.tag)
		h.Set("Cache-Control", "no-cache") // ask again, by the tag
		if strings.HasPrefix(name, "/assets/") {
			h.Set("Cache-Control", "public, max-age=31536000, immutable") // its name has a digest
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
	})
}
