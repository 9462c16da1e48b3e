<script src="/assets/deliberate.js"></script>
<h1>End all links to <bdi>{{NAME}}</bdi>?</h1>
<p>Nobody who has a link can watch any more, wherever the link is embedded. This cannot be undone. Links that you make later work.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">End all links</button>
<a class="button" href="{{BACK}}">Keep them</a></p>
</form>
