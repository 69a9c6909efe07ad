package opensm

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// byMaximum lists the options that OpenSM reads as numbers, by the largest number that it takes.
var byMaximum = map[uint64]string{
	1<<8 - 1: "m_key_protection_level sm_priority lmc max_op_vls force_link_speed force_link_speed_ext force_link_width fdr10 subnet_timeout packet_life_time " +
		"vl_stall_count leaf_vl_stall_count head_of_queue_lifetime leaf_head_of_queue_lifetime local_phy_errors_threshold overrun_errors_threshold log_flags " +
		"sm_assigned_guid cc_sw_cong_setting_threshold cc_sw_cong_setting_packet_size cc_sw_cong_setting_credit_starvation_threshold lash_start_vl sm_sl nue_max_num_vls",
	1<<16 - 1: "m_key_lease_period console_port max_reverse_hops perfmgr_sweep_time_s cc_sw_cong_setting_marking_rate cc_ca_cong_setting_port_control cc_ca_cong_setting_control_map",
	1<<32 - 1: "sweep_interval max_wire_smps max_wire_smps2 max_smps_timeout transaction_timeout transaction_retries long_transaction_timeout max_msg_fifo_timeout " +
		"sminfo_polling_timeout polling_retry_number log_max_size scatter_ports perfmgr_max_outstanding_queries perfmgr_xmit_wait_threshold qos_max_vls qos_ca_max_vls " +
		"qos_sw0_max_vls qos_swe_max_vls qos_rtr_max_vls cc_max_outstanding_mads cc_sw_cong_setting_control_map",
	1<<64 - 1: "guid m_key sm_key sa_key subnet_prefix cc_key",
}

// maxima maps the options of byMaximum to their maximum.
var maxima = func() map[string]uint64 {
	list := map[string]uint64{}
	for most, names := range byMaximum {
		for name := range strings.FieldsSeq(names) {
			list[name] = most
		}
	}
	return list
}()

// number parses a number as strtoull does: decimal, octal after 0, or hexadecimal after 0x. A
// negative one counts down from 2^64.
func number(text string) (uint64, error) {
	base, digits, minus := 10, strings.TrimPrefix(text, "+"), false
	if len(digits) == len(text) {
		digits, minus = strings.CutPrefix(text, "-")
	}
	switch {
	case strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, errors.New("not a number")
	}
	if minus {
		n = -n
	}
	return n, nil
}

// within parses a number in a range.
func within(text string, least, most uint64) (uint64, error) {
	n, err := number(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("want a number from %d to %d", least, most)
	}
	return n, nil
}

// isZero reports whether a value is the number 0.
func isZero(value string) bool {
	n, err := number(value)
	return err == nil && n == 0
}

// leading parses the number at the start of a text, as strtoul does; 0 if there is none. whole
// reports whether nothing follows it.
func leading(text string) (n uint64, whole bool) {
	for end := len(text); end > 0; end-- {
		if n, err := number(text[:end]); err == nil {
			return n, end == len(text)
		}
	}
	return 0, false
}

// pieces yields the lines of a text with their numbers, as fgets reads them into a buffer for most
// bytes: the rest of a longer line comes as a line of its own.
func pieces(text string, most int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			for len(line) > most {
				if !yield(n, line[:most]) {
					return
				}
				line = line[most:]
			}
			if !yield(n, line) {
				return
			}
		}
	}
}
