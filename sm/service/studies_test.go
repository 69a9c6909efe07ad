package service_test

import (
	"testing"

	"weft/cmd/weft/manage/studies"
	"weft/internal/endpoints"
	"weft/lab/browse"
	"weft/sm/service"
	"weft/study/page"
)

// TestOpenAPI: the document says what weft sm and weft ui serve.
func TestOpenAPI(t *testing.T) {
	manager := studies.Page(nil, nil, nil, nil, nil, nil).Endpoints()
	lab := append(page.New(page.Options{}).Endpoints(), browse.New(browse.Options{}).Endpoints()...)
	service.CheckDocument(t, []service.Served{
		{By: "weft sm", Endpoints: service.All(studies.All(nil), manager)},
		{By: "weft ui", Endpoints: append(lab, endpoints.Document)},
	})
}
