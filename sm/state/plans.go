package state

import (
	"database/sql"
	"errors"
)

// Plans lists the Plans that are kept, the oldest first.
func (s *Store) Plans() ([]Plan, error) {
	c := &Contents{}
	if err := s.readPlans(c); err != nil {
		return nil, s.explain(err)
	}
	return c.Plans, nil
}

// PlanFile returns the Plan of a version, as planfile.Save has written it; nil and no error where it is not kept.
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
