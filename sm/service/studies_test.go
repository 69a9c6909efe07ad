package service_test

import (
	"testing"

	"weft/cmd/weft/manage/studies"
	"weft/sm/service"
)

// TestOpenAPI: the document says what weft sm serves.
func TestOpenAPI(t *testing.T) { service.CheckDocument(t, studies.All(nil)) }
