package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"weft/sm"
)

// patience is how long what is asked may wait for the manager, and how long a reader may take for a line.
const patience = 10 * time.Second

// Handler serves all that the package comment lists.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Status()) })
	mux.HandleFunc("GET /v1/events", s.events)
	mux.HandleFunc("POST /v1/resweep", s.ask("a full sweep", sm.Resweep))
	mux.HandleFunc("POST /v1/rebalance", s.ask("a routing afresh", sm.Rebalance))
	mux.Handle("GET /metrics", s.metrics)
	return mux
}

// failure is an answer that is no success.
type failure struct {
	Error string `json:"error"`
}

// answer writes a JSON object.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // who has gone needs no answer
}

// refuse writes an error.
func refuse(w http.ResponseWriter, status int, text string) { answer(w, status, failure{text}) }

// Asked is the answer to what was asked of a manager.
type Asked struct {
	Asked string `json:"asked"` // what, in words
}

// ask gives the manager an event.
func (s *Service) ask(what string, kind sm.EventKind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if shown := s.shown.Load(); shown.Role == sm.StandBy || shown.Role == sm.NotActive {
			refuse(w, http.StatusConflict, "this manager is "+string(shown.Role)+": ask the master, "+shown.Other)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		switch err := s.opt.Ask(ctx, &sm.Event{Kind: kind}); {
		case errors.Is(err, context.DeadlineExceeded):
			refuse(w, http.StatusServiceUnavailable, "the manager is busy: ask again")
		case err != nil:
			refuse(w, http.StatusServiceUnavailable, err.Error())
		default:
			answer(w, http.StatusAccepted, Asked{what})
		}
	}
}

// events writes the log from a number on.
func (s *Service) events(w http.ResponseWriter, r *http.Request) {
	since, err := uintOf(r, "since")
	if err != nil {
		refuse(w, http.StatusBadRequest, "since: want the number of a line, 0 for all that are kept")
		return
	}
	follow := r.URL.Query().Get("follow")
	if follow != "" && follow != "true" && follow != "false" {
		refuse(w, http.StatusBadRequest, "follow: want true or false")
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	control, enc := http.NewResponseController(w), json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		lines, more, ended := s.log.after(since)
		_ = control.SetWriteDeadline(s.opt.Clock().Add(patience)) // some writers have none
		for i := range lines {
			if enc.Encode(&lines[i]) != nil {
				return
			}
			since = lines[i].Number
		}
		if control.Flush() != nil || follow != "true" || ended {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

// uintOf reads a number of a query; 0 where it is not given.
func uintOf(r *http.Request, name string) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}
