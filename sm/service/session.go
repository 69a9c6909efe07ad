package service

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"reflect"
	"time"

	"weft/internal/endpoints"
)

// A session is a cookie that stands for a token, for a browser. It holds the time of its end and
// its HMAC by the token's hash: the Guard stores nothing, and a session outlives a restart of the
// manager, but not its token. It does not tell the token.
const sessionTime = 12 * time.Hour

// sessionSize is the size of a session in bytes: its end and its HMAC.
const sessionSize = 8 + sha256.Size

// Login is a request for a session.
type Login struct {
	Token string `json:"token"`
}

// endpoints lists the endpoints of sessions. They need no token.
func (g *Guard) endpoints() []endpoints.Endpoint {
	return []endpoints.Endpoint{
		{
			Method: http.MethodPost, Path: "/v1/session", About: "Log in a browser: sets a cookie that stands for a token for 12 hours.", Body: reflect.TypeFor[Login](),
			Status: http.StatusNoContent, Refusals: []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}, Serve: g.login,
		},
		{
			Method: http.MethodDelete, Path: "/v1/session", About: "Log out a browser: deletes the cookie.",
			Status: http.StatusNoContent, Serve: g.logout,
		},
	}
}

// login sets the cookie of a session.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	body, ok := endpoints.JSONBody(w, r)
	if !ok {
		return
	}
	var given Login
	if err := endpoints.ReadJSON(body, &given); err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	b := g.bearer(given.Token)
	if b == nil {
		endpoints.Refuse(w, http.StatusUnauthorized, "wrong token")
		return
	}
	end := binary.BigEndian.AppendUint64(nil, uint64(g.clock().Add(sessionTime).Unix()))
	g.setCookie(w, r, base64.RawURLEncoding.EncodeToString(b.sign(end)), int(sessionTime.Seconds()))
}

// logout deletes the cookie of a session.
func (g *Guard) logout(w http.ResponseWriter, r *http.Request) { g.setCookie(w, r, "", -1) }

// setCookie answers with a cookie that scripts cannot read and other sites cannot send.
func (g *Guard) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

// cookieName returns the name of the cookie of a listening address. It has the port, since servers
// on one machine share their cookies.
func cookieName(at net.Addr) string {
	_, port, _ := net.SplitHostPort(at.String()) // "" for other addresses
	return "weft-" + port
}

// sign returns the session that ends at a time.
func (b *bearer) sign(end []byte) []byte {
	mac := hmac.New(sha256.New, b.hash[:])
	mac.Write([]byte("weft session "))
	mac.Write(end)
	return mac.Sum(end[:8:8])
}

// session returns the token that the cookie of a request stands for. A request that changes
// something must also say that it comes from this site, as all browsers do.
func (g *Guard) session(r *http.Request) (*bearer, error) {
	given := r.CookiesNamed(g.cookie)
	if len(given) != 1 {
		return nil, errors.New("want the token: Authorization: Bearer TOKEN; in a browser, log in")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return nil, errors.New("want the header Origin with the cookie of a session")
	}
	text, err := base64.RawURLEncoding.DecodeString(given[0].Value)
	if err == nil && len(text) == sessionSize && g.clock().Unix() < int64(binary.BigEndian.Uint64(text)) {
		for _, b := range *g.tokens.Load() {
			if hmac.Equal(text, b.sign(text[:8])) {
				return b, nil
			}
		}
	}
	return nil, errors.New("the session has ended: log in again")
}
