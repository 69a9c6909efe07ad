package state

import (
	"database/sql"
	"errors"
)

// Plans lists the stored Plans, oldest first.
func (s *Store) Plans() ([]Plan, error) {
	c := &Contents{}
	if err := s.readPlans(c); err != nil {
		return nil, s.explain(err)
	}
	return c.Plans, nil
}

// PlanFile returns the bytes of a Plan version, as planfile.Save wrote them; nil if it is not
// stored.
func (s *Store) PlanFile(version int64) (data []byte, err error) {
	err = s.one("SELECT bytes FROM plans WHERE version = ?", []any{version}, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, s.explain(err)
	}
	return data, nil
}
