package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
)

// completeServices offers the services that the daemon knows, when it answers at once.
func (s *streams) completeServices(cmd *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	return s.completeFirst(cmd, words, func(ctx context.Context, client *admin.Client) (out []string) {
		list, _ := client.Services(ctx)
		for _, v := range list {
			out = append(out, v.Service)
		}
		return out
	})
}

// completeRules offers the keys of the rules that exist.
func (s *streams) completeRules(cmd *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
	return s.completeFirst(cmd, words, func(ctx context.Context, client *admin.Client) (out []string) {
		list, _ := client.Rules(ctx)
		for _, r := range list {
			out = append(out, r.Key)
		}
		return out
	})
}

// completeFirst offers what the daemon lists for the first word; without an answer within a second, nothing.
func (s *streams) completeFirst(cmd *cobra.Command, words []string, list func(context.Context, *admin.Client) []string) ([]string, cobra.ShellCompDirective) {
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
	return list(ctx, client), cobra.ShellCompDirectiveNoFileComp
}
