<script src="/assets/deliberate.js"></script>
<h1>Delete the captions in {{LANGUAGE}}?</h1>
<p>Viewers of <bdi>{{NAME}}</bdi> cannot choose them any more. This cannot be undone.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the captions</button>
<a class="button" href="{{LIST}}">Keep them</a></p>
</form>
