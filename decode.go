package dubway

import "github.com/dubway-go/dubway/hessian"

// Decode stores value, as a call returned it, in the variable that out points to, converting where nothing is lost: maps and objects
// of Java classes to structs (fields by the tag `hessian:"name"`, else by their name with its first letter in lower case), lists to slices,
// numbers to any numeric type that holds them. null stores the zero value. See hessian.Assign.
func Decode(value, out any) error { return hessian.Assign(out, value) }
