package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// completeServices offers the services that the daemon knows, when it answers at once.
func (s *streams) completeServices(cmd *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(words) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	client, err := s.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	list, err := client.Services(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, v := range list {
		out = append(out, v.Service)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeRules offers the keys of the rules that exist.
func (s *streams) completeRules(cmd *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(words) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	client, err := s.client()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	list, err := client.Rules(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range list {
		out = append(out, r.Key)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
