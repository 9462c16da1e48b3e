<script src="/assets/deliberate.js"></script>
<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
<p>The {{WHAT}}, its captions and all of its files are deleted, also for applications. Wherever it is embedded, visitors read that it cannot be played. This cannot be undone.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the {{WHAT}}</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
